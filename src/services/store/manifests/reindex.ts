/**
 * Validates and indexes manifests again: those of an earlier version, all after a change of the rules, and trusted ones
 * whose certificate, or the OCSP response about it, has expired. Runs in the background.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError, native } from '../../../native.js';
import type { Logger } from '../../../platform/observe/log.js';
import type { ContentBlobs } from '../../../storage/blobs/content-port.js';
import { blobBytes } from '../../../storage/blobs/port.js';
import type { ManifestReport, Validator } from '../validation/validator.js';
import { INDEX_VERSION, keepReport, replaceReport } from './judgement.js';
import type { Manifests, OutdatedManifest } from './manifests.js';

const BATCH_MANIFESTS = 100;
/** Pause when uploads occupy the validator. */
const BUSY_PAUSE_MS = 1000;
/** How often to look for manifests that a command or another process has marked as outdated. */
const POLL_MS = 10_000;

export interface ReindexParts {
  readonly manifests: Manifests;
  readonly blobs: ContentBlobs;
  readonly validator: Validator;
  readonly log: Logger;
  /** Called after a manifest was indexed again. */
  readonly onIndexed: (key: number) => Promise<void>;
}

export class Reindex {
  readonly #parts: ReindexParts;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ReindexParts) {
    this.#parts = parts;
  }

  /** Runs now, and periodically for manifests that become outdated later. */
  start(): void {
    this.#next();
    this.#timer = setInterval(() => this.#next(), POLL_MS).unref();
  }

  /** Runs now, if it does not run already. */
  wake(): void {
    if (this.#timer !== undefined) this.#next();
  }

  #next(): void {
    this.#running ??= this.run()
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted)
          this.#parts.log.error({ err: error }, 'could not reindex manifests');
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#running;
  }

  /** Indexes all outdated manifests. A process that is stopped continues at its next start. */
  async run(): Promise<void> {
    const { manifests, log } = this.#parts;
    await manifests.outdateExpired(Date.now());
    let [after, indexed, kept] = [0, 0, 0];
    for (;;) {
      const batch = await manifests.indexedBefore(INDEX_VERSION, after, BATCH_MANIFESTS);
      for (const manifest of batch) {
        if (this.#stopped.signal.aborted) return;
        if (await this.#index(manifest)) indexed += 1;
        else kept += 1;
        after = manifest.key;
      }
      if (batch.length === 0) break;
    }
    if (indexed + kept > 0) log.info({ indexed, kept }, 'reindexed manifests');
  }

  /** Returns `false` if the bindings stay as they are, because the manifest is no longer valid or its file is missing. */
  async #index({ key, manifestId, sha256 }: OutdatedManifest): Promise<boolean> {
    const { manifests, blobs, log, onIndexed } = this.#parts;
    const blob = await blobs.find(sha256);
    const bytes = blob && (await blobBytes(blob));
    // A damaged file says nothing about the manifest.
    const isIntact = bytes !== undefined && (await native.sha256(bytes)) === sha256;
    if (bytes !== undefined && !isIntact)
      log.error({ manifestId, file: blobs.placeOf(sha256) }, 'the file of a manifest is damaged');
    const report = isIntact ? await this.#validate(bytes) : undefined;
    if (report?.outcome !== 'accepted' || report.manifestId !== manifestId) {
      // Refused by the rules of today, because a certificate expired or was revoked. The bytes stay as they are.
      await keepReport(manifests.commits, key, report?.outcome === 'refused' ? report.code : undefined);
      return false;
    }
    await replaceReport(manifests.commits, key, report);
    await onIndexed(key);
    return true;
  }

  /** `undefined` if the validation exceeds its time limit. */
  async #validate(bytes: Uint8Array): Promise<ManifestReport | undefined> {
    for (;;) {
      try {
        return await this.#parts.validator.validate(bytes);
      } catch (error) {
        if (isNativeError(error, 'TIMEOUT')) return undefined;
        if (!isNativeError(error, 'BUSY')) throw error;
      }
      await sleep(BUSY_PAUSE_MS, undefined, { signal: this.#stopped.signal });
    }
  }
}
