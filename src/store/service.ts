/** What the store does: takes, serves, finds, deletes and releases manifests. Knows no HTTP. */
import { createHash, createHmac } from 'node:crypto';
import type { ContentBlobs } from '../blobs/content.js';
import { manifestUrl } from '../c2pa/manifest-url.js';
import type { Logger } from '../observe/log.js';
import type { Trace } from '../observe/trace.js';
import type { SyncedBindingIndex } from './binding-index.js';
import type { Declarer, Retried } from './declarer.js';
import { ManifestRefused, Refused } from './errors.js';
import { FileVanished, type Manifests, type StoredManifest } from './manifests.js';
import type { DeclarationView, UploadAnswer } from './schema.js';
import type { ManifestReport, Validator } from './validator.js';

export interface StoreOptions {
  /** Public base address without a slash at its end. */
  readonly url: string;
  readonly secretKey: string;
  readonly matchThreshold: number;
  readonly declareDefault: boolean;
}

export interface StoreParts {
  readonly manifests: Manifests;
  readonly index: SyncedBindingIndex;
  readonly blobs: ContentBlobs;
  readonly validator: Validator;
  readonly declarer: Declarer;
  /** Identifiers on the C2PA's list of algorithms. */
  readonly algorithms: ReadonlySet<string>;
  readonly isManifestId: (text: string) => boolean;
  readonly log: Logger;
}

export interface FoundManifest {
  readonly path: string;
  readonly sha256: string;
}

export interface Match {
  readonly manifestId: string;
  readonly similarityScore: number;
  readonly isccId?: string;
}

/** Told after the commit which manifest came or went; for indexes beside the store's own. Never rejects. */
export type ChangeListener = (key: number) => Promise<void>;

type Accepted = Extract<ManifestReport, { outcome: 'accepted' }>;

const RETRY_AFTER_SECONDS = 1;
/** How often an upload starts anew when its id is released, or its file swept away, under its hands. */
const UPLOAD_TRIES = 5;
const OLD_PENDING_MS = 15 * 60 * 1000;

export class StoreService {
  readonly #options: StoreOptions;
  readonly #parts: StoreParts;
  readonly #listeners: ChangeListener[] = [];

  constructor(options: StoreOptions, parts: StoreParts) {
    this.#options = options;
    this.#parts = parts;
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Validates, stores, indexes and declares a Manifest Store.
   *
   * @param client who counts as the uploader; only a keyed hash of it is kept
   * @throws {ManifestRefused} for unacceptable bytes, {@link Refused} for a taken id
   */
  async upload(
    bytes: Uint8Array,
    { declare, client, trace }: { declare?: boolean; client: string; trace?: Trace },
  ): Promise<UploadAnswer> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const same = await this.#parts.manifests.findLiveBytes(sha256);
    if (same !== undefined) return this.#answerKept(same, bytes);
    const report = accepted(await this.#parts.validator.validate(bytes));
    for (let tries = 0; tries < UPLOAD_TRIES; tries += 1) {
      const there = await this.#parts.manifests.findById(report.manifestId);
      if (there !== undefined) return this.#answerTaken(there, sha256, bytes);
      await this.#parts.blobs.put(sha256, bytes);
      const wanted = declare ?? this.#options.declareDefault;
      const key = await this.#insert(report, { sha256, size: bytes.length, client, wanted });
      if (key !== undefined) return this.#finishUpload(key, trace);
    }
    throw new Refused('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
  }

  /** @throws {Refused} if there is no such manifest, or no more, or its file is missing */
  async fetch(manifestId: string): Promise<FoundManifest> {
    const { sha256 } = await this.#live(manifestId);
    const path = this.#parts.blobs.pathOf(sha256);
    if ((await this.#parts.blobs.size(sha256)) === undefined) {
      this.#parts.log.error({ manifestId, file: path }, 'the file of a manifest is missing');
      throw new Refused('MANIFEST_NOT_FOUND');
    }
    return { path, sha256 };
  }

  /**
   * Live manifests with a binding like this, best first.
   *
   * @param decode gives the value's bytes; called once the algorithm is known to be one
   */
  async query(alg: string, decode: () => Uint8Array, maxResults: number): Promise<Match[]> {
    if (!this.#parts.algorithms.has(alg)) {
      throw new Refused('ALGORITHM_UNKNOWN', { detail: `Unknown soft binding algorithm: ${alg}` });
    }
    const threshold = this.#options.matchThreshold;
    const answer = await this.#parts.index.query(alg, decode(), threshold, maxResults);
    switch (answer.outcome) {
      case 'matches':
        return this.#matches(answer, maxResults);
      case 'refused':
        throw new Refused('BAD_REQUEST', { detail: answer.detail });
      case 'busy':
        throw new Refused('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
      default:
        return answer satisfies never;
    }
  }

  /** Deletes a manifest and tries once to withdraw its declaration. */
  async remove(manifestId: string, trace?: Trace): Promise<void> {
    const { key } = await this.#live(manifestId);
    const [buried] = await this.#bury([key]);
    if (buried === undefined) {
      // Somebody else was quicker.
      await this.#live(manifestId);
      throw new Refused('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
    }
    await this.#parts.declarer.onDeleted(key, trace);
  }

  /**
   * Deletes several; those that are deleted already, or unknown, are skipped. Does not wait for the hub: what is
   * not withdrawn when the process ends is retried.
   */
  async removeMany(keys: readonly number[]): Promise<{ deleted: number; skipped: number }> {
    const buried = await this.#bury(keys);
    void this.#withdraw(buried);
    return { deleted: buried.length, skipped: keys.length - buried.length };
  }

  /** Frees the ids of tombstones; those whose declaration is still `declared`, and live manifests, are skipped. */
  async release(keys: readonly number[]): Promise<{ released: number; skipped: number }> {
    const { manifests, declarer } = this.#parts;
    const released = keys.length === 0 ? 0 : await manifests.release(keys, declarer);
    return { released, skipped: keys.length - released };
  }

  /** Tries unfinished declarations now; where that takes longer than one request may, it goes on by itself. */
  retry(keys: readonly number[]): Promise<Retried> {
    return this.#parts.declarer.retry(keys);
  }

  algorithms(): Promise<string[]> {
    return this.#parts.manifests.algorithms();
  }

  didDocument(): object | undefined {
    return this.#parts.declarer.didDocument();
  }

  /** Whether a declaration waits for too long, or the database can't tell. */
  async isDegraded(): Promise<boolean> {
    try {
      return await this.#parts.manifests.hasOldPending(Date.now() - OLD_PENDING_MS);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the database does not answer');
      return true;
    }
  }

  /** Why the store can't work, or `undefined`. */
  async readiness(): Promise<string | undefined> {
    try {
      await this.#parts.manifests.algorithms();
      return undefined;
    } catch {
      return 'the database does not answer';
    }
  }

  /** The keys of what are tombstones from now on. */
  async #bury(keys: readonly number[]): Promise<number[]> {
    if (keys.length === 0) return [];
    const { manifests, declarer } = this.#parts;
    const buried = await manifests.bury(keys, Date.now(), declarer);
    await this.#removeFiles(buried.map(({ sha256 }) => sha256));
    const dead = buried.map(({ key }) => key);
    await Promise.all(dead.map((key) => this.#tell(key)));
    return dead;
  }

  async #withdraw(keys: readonly number[]): Promise<void> {
    for (const key of keys) await this.#parts.declarer.onDeleted(key);
  }

  async #insert(
    { manifestId, trusted, bindings }: Accepted,
    upload: { sha256: string; size: number; client: string; wanted: boolean },
  ): Promise<number | undefined> {
    const { manifests, blobs, declarer } = this.#parts;
    const { sha256, size } = upload;
    const uploadedAt = Date.now();
    const address = manifestUrl(this.#options.url, manifestId);
    const declaration = declarer.initial(
      { manifestId, manifestUrl: address, uploadedAt, bindings },
      upload.wanted,
    );
    const row = {
      manifest_id: manifestId,
      sha256,
      size,
      uploaded_at: uploadedAt,
      trusted: trusted ? (1 as const) : (0 as const),
      uploader: this.#uploader(upload.client),
    };
    const hasFile = async () => (await blobs.size(sha256)) !== undefined;
    try {
      return await manifests.insert({ row, bindings, declaration }, hasFile);
    } catch (error) {
      if (error instanceof FileVanished) return undefined;
      throw error;
    }
  }

  async #finishUpload(key: number, trace: Trace | undefined): Promise<UploadAnswer> {
    await this.#parts.declarer.onStored(key, trace);
    // With the ISCC-ID of the declaration, if there is one by now.
    await this.#tell(key);
    const [stored] = await this.#parts.manifests.findByKeys([key]);
    // Deleted and released in the meantime: it was stored all the same.
    if (stored === undefined) throw new Refused('MANIFEST_NOT_FOUND');
    return this.#answer(stored);
  }

  async #answerTaken(there: StoredManifest, sha256: string, bytes: Uint8Array): Promise<UploadAnswer> {
    if (!there.live) throw new Refused('ID_DELETED');
    if (there.sha256 !== sha256) throw new Refused('ID_IN_USE');
    return this.#answerKept(there, bytes);
  }

  /** What was acknowledged is there: a file that was lost comes back with its bytes. */
  async #answerKept(stored: StoredManifest, bytes: Uint8Array): Promise<UploadAnswer> {
    const { blobs, log } = this.#parts;
    const { manifestId, sha256 } = stored;
    if ((await blobs.size(sha256)) === undefined) {
      await blobs.put(sha256, bytes);
      log.warn({ manifestId, file: blobs.pathOf(sha256) }, 'the file of a manifest was missing');
    }
    return this.#answer(stored);
  }

  #answer(stored: StoredManifest): UploadAnswer {
    const { manifestId } = stored;
    return {
      manifestId,
      manifestUrl: manifestUrl(this.#options.url, manifestId),
      declaration: declarationView(stored),
    };
  }

  async #live(manifestId: string): Promise<StoredManifest> {
    const found = this.#parts.isManifestId(manifestId)
      ? await this.#parts.manifests.findById(manifestId)
      : undefined;
    if (found === undefined) throw new Refused('MANIFEST_NOT_FOUND');
    if (!found.live) throw new Refused('MANIFEST_DELETED');
    return found;
  }

  async #matches(
    { keys, scores }: { keys: Float64Array; scores: Uint8Array },
    maxResults: number,
  ): Promise<Match[]> {
    const found = await this.#parts.manifests.findByKeys([...keys]);
    const scoreOf = new Map([...keys].map((key, at) => [key, scores[at] ?? 0]));
    return found
      .filter(({ live }) => live)
      .map((manifest) => ({ ...manifest, score: scoreOf.get(manifest.key) ?? 0 }))
      .sort(bestFirst)
      .slice(0, maxResults)
      .map(({ manifestId, score, status, isccId }) => ({
        manifestId,
        similarityScore: score,
        ...(status === 'declared' && isccId !== null && { isccId }),
      }));
  }

  /** A failure leaves the files to the clean-up; the manifests are deleted. */
  async #removeFiles(digests: readonly string[]): Promise<void> {
    if (digests.length === 0) return;
    const { manifests, blobs, log } = this.#parts;
    try {
      await manifests.whileUnused(digests, (digest) => blobs.remove(digest));
    } catch (error) {
      log.warn({ err: error, files: digests.map(blobs.pathOf, blobs) }, 'files could not be removed yet');
    }
  }

  #uploader(client: string): string {
    return createHmac('sha256', this.#options.secretKey).update(client).digest('hex');
  }

  async #tell(key: number): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener(key)));
  }
}

/** What clients see of a declaration. */
export function declarationView({ status, hub, isccId }: StoredManifest): DeclarationView {
  const hasHub = hub !== null && status !== 'skipped' && status !== 'disabled';
  const isDeclared = isccId !== null && status === 'declared';
  return { status, ...(isDeclared && { isccId }), ...(hasHub && { hub }) };
}

type Ranked = StoredManifest & { readonly score: number };

function bestFirst(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    Number(b.trusted) - Number(a.trusted) ||
    a.uploadedAt - b.uploadedAt ||
    (a.manifestId < b.manifestId ? -1 : 1)
  );
}

function accepted(report: ManifestReport): Accepted {
  switch (report.outcome) {
    case 'accepted':
      return report;
    case 'refused':
      throw new ManifestRefused(report.code, report.text);
    case 'busy':
      throw new Refused('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
    case 'overdue':
      throw new Refused('OVERDUE', { retryAfter: RETRY_AFTER_SECONDS });
    default:
      return report satisfies never;
  }
}
