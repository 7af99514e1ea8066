/** Use cases of the store: store, fetch, query, delete and release manifests. Independent of HTTP. */
import { createHmac } from 'node:crypto';
import type { ContentBlobs } from '../blobs/content.js';
import { manifestUrl } from '../c2pa/manifest-url.js';
import { isNativeError } from '../native.js';
import type { Logger } from '../observe/log.js';
import type { Trace } from '../observe/trace.js';
import type { SyncedBindingIndex } from './binding-index.js';
import type { Declarer, Retried } from './declarer.js';
import { ManifestRefused, StoreRefusal } from './errors.js';
import { FileVanished, type Manifests, type StoredManifest } from './manifests.js';
import type { DeclarationView, UploadAnswer } from './schema.js';
import type { ManifestReport, Validator } from './validator.js';

export interface StoreOptions {
  /** Public base URL without a trailing slash. */
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
  /** Identifiers on the C2PA algorithm list. */
  readonly algorithms: ReadonlySet<string>;
  readonly isManifestId: (text: string) => boolean;
  /** SHA-256 in hex, computed off the event loop. */
  readonly digest: (bytes: Uint8Array) => Promise<string>;
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

/** Called after the commit with the key of the manifest that was stored or deleted. Never rejects. */
export type ChangeListener = (key: number) => Promise<void>;

type Accepted = Extract<ManifestReport, { outcome: 'accepted' }>;

const RETRY_AFTER_SECONDS = 1;
/** How often an upload retries when a concurrent release or clean-up removes its id or file. */
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

  /** Notifies the listeners of a manifest that changed. */
  async changed(key: number): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener(key)));
  }

  /**
   * Validates, stores, indexes and declares a Manifest Store.
   *
   * @param client address or network that counts as the uploader; only a keyed hash of it is stored
   * @throws {ManifestRefused} if the bytes are not an acceptable Manifest Store
   * @throws {StoreRefusal} if the id is taken, or the validator is busy
   */
  async upload(
    bytes: Uint8Array,
    { declare, client, trace }: { declare?: boolean; client: string; trace?: Trace },
  ): Promise<UploadAnswer> {
    const sha256 = await this.#parts.digest(bytes).catch(throwRefusal);
    const same = await this.#parts.manifests.findLiveBytes(sha256);
    if (same !== undefined) return this.#answerStored(same, bytes);
    const report = accepted(await this.#parts.validator.validate(bytes).catch(throwRefusal));
    for (let tries = 0; tries < UPLOAD_TRIES; tries += 1) {
      const existing = await this.#parts.manifests.findById(report.manifestId);
      if (existing !== undefined) return this.#answerTaken(existing, sha256, bytes);
      await this.#parts.blobs.put(sha256, bytes);
      const wanted = declare ?? this.#options.declareDefault;
      const key = await this.#insert(report, { sha256, size: bytes.length, client, wanted });
      if (key !== undefined) return this.#finishUpload(key, trace);
    }
    throw new StoreRefusal('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
  }

  /** @throws {StoreRefusal} if the manifest is unknown or deleted, or its file is missing */
  async fetch(manifestId: string): Promise<FoundManifest> {
    const { sha256 } = await this.#live(manifestId);
    const path = this.#parts.blobs.pathOf(sha256);
    if ((await this.#parts.blobs.size(sha256)) === undefined) {
      this.#parts.log.error({ manifestId, file: path }, 'the file of a manifest is missing');
      throw new StoreRefusal('MANIFEST_NOT_FOUND');
    }
    return { path, sha256 };
  }

  /**
   * Live manifests with a matching binding, best first.
   *
   * @param decode returns the value's bytes; called after the algorithm was found on the list
   */
  async query(alg: string, decode: () => Uint8Array, maxResults: number): Promise<Match[]> {
    if (!this.#parts.algorithms.has(alg)) {
      throw new StoreRefusal('ALGORITHM_UNKNOWN', { detail: `Unknown soft binding algorithm: ${alg}` });
    }
    const threshold = this.#options.matchThreshold;
    const matches = this.#parts.index.query(alg, decode(), threshold, maxResults);
    return this.#matches(await matches.catch(throwRefusal), maxResults);
  }

  /** Deletes a manifest and makes one attempt to withdraw its declaration. */
  async remove(manifestId: string, trace?: Trace): Promise<void> {
    const { key } = await this.#live(manifestId);
    const [deleted] = await this.#tombstone([key]);
    if (deleted === undefined) {
      // A concurrent request deleted it first: refuse with its present state.
      await this.#live(manifestId);
      throw new StoreRefusal('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
    }
    await this.#parts.declarer.onDeleted(key, trace);
  }

  /**
   * Deletes several manifests. Unknown and deleted ones are skipped. Does not wait for the hub: the retry loop
   * finishes the withdrawals that are open when the process ends.
   */
  async removeMany(keys: readonly number[]): Promise<{ deleted: number; skipped: number }> {
    const deleted = await this.#tombstone(keys);
    void this.#withdraw(deleted);
    return { deleted: deleted.length, skipped: keys.length - deleted.length };
  }

  /** Frees the ids of tombstones. Live manifests and those whose declaration is still `declared` are skipped. */
  async release(keys: readonly number[]): Promise<{ released: number; skipped: number }> {
    const released = keys.length === 0 ? 0 : await this.#parts.manifests.release(keys);
    return { released, skipped: keys.length - released };
  }

  /** Attempts unfinished declarations now. After the time limit of a request it continues in the background. */
  retry(keys: readonly number[]): Promise<Retried> {
    return this.#parts.declarer.retry(keys);
  }

  algorithms(): Promise<string[]> {
    return this.#parts.manifests.algorithms();
  }

  didDocument(): object | undefined {
    return this.#parts.declarer.didDocument();
  }

  /** Whether a declaration has been pending for too long, or the database is unreachable. */
  async isDegraded(): Promise<boolean> {
    try {
      return await this.#parts.manifests.hasOldPending(Date.now() - OLD_PENDING_MS);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the database is unreachable');
      return true;
    }
  }

  /** The reason why the store can't work; `undefined` if it can. */
  async readiness(): Promise<string | undefined> {
    try {
      await this.#parts.manifests.algorithms();
      return undefined;
    } catch {
      return 'the database is unreachable';
    }
  }

  /** Deletes manifests and their files. Returns the keys of those that were live. */
  async #tombstone(keys: readonly number[]): Promise<number[]> {
    if (keys.length === 0) return [];
    const tombstones = await this.#parts.manifests.tombstone(keys, Date.now());
    await this.#removeFiles(tombstones.map(({ sha256 }) => sha256));
    const deleted = tombstones.map(({ key }) => key);
    await Promise.all(deleted.map((key) => this.changed(key)));
    return deleted;
  }

  async #withdraw(keys: readonly number[]): Promise<void> {
    for (const key of keys) await this.#parts.declarer.onDeleted(key);
  }

  async #insert(
    { manifestId, trusted, bindings }: Accepted,
    upload: { sha256: string; size: number; client: string; wanted: boolean },
  ): Promise<number | undefined> {
    const { manifests, blobs, declarer } = this.#parts;
    const { sha256, size, client, wanted } = upload;
    const uploadedAt = Date.now();
    const address = manifestUrl(this.#options.url, manifestId);
    const declaration = declarer.initial({ manifestId, manifestUrl: address, uploadedAt, bindings }, wanted);
    const uploader = this.#uploader(client);
    const hasFile = async () => (await blobs.size(sha256)) !== undefined;
    try {
      return await manifests.insert(
        { manifestId, sha256, size, uploadedAt, trusted, uploader, bindings, declaration },
        hasFile,
      );
    } catch (error) {
      if (error instanceof FileVanished) return undefined;
      throw error;
    }
  }

  async #finishUpload(key: number, trace: Trace | undefined): Promise<UploadAnswer> {
    await this.#parts.declarer.onStored(key, trace);
    // After the attempt, so that listeners read the ISCC-ID if it was declared.
    await this.changed(key);
    const [stored] = await this.#parts.manifests.findByKeys([key]);
    // Deleted and released by a concurrent request.
    if (stored === undefined) throw new StoreRefusal('MANIFEST_NOT_FOUND');
    return this.#answer(stored);
  }

  async #answerTaken(existing: StoredManifest, sha256: string, bytes: Uint8Array): Promise<UploadAnswer> {
    if (!existing.live) throw new StoreRefusal('ID_DELETED');
    if (existing.sha256 !== sha256) throw new StoreRefusal('ID_IN_USE');
    return this.#answerStored(existing, bytes);
  }

  /** The response for bytes that are stored already. If their file was lost, it is written again. */
  async #answerStored(stored: StoredManifest, bytes: Uint8Array): Promise<UploadAnswer> {
    const { blobs, log } = this.#parts;
    const { manifestId, sha256 } = stored;
    if ((await blobs.size(sha256)) === undefined) {
      await blobs.put(sha256, bytes);
      log.warn({ manifestId, file: blobs.pathOf(sha256) }, 'the file of a manifest was missing; restored it');
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
    if (found === undefined) throw new StoreRefusal('MANIFEST_NOT_FOUND');
    if (!found.live) throw new StoreRefusal('MANIFEST_DELETED');
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

  /** The manifests are deleted already: if this fails, the clean-up removes the files. */
  async #removeFiles(digests: readonly string[]): Promise<void> {
    if (digests.length === 0) return;
    const { manifests, blobs, log } = this.#parts;
    try {
      await manifests.whileUnused(digests, (digest) => blobs.remove(digest));
    } catch (error) {
      log.warn(
        { err: error, files: digests.map(blobs.pathOf, blobs) },
        'could not remove files; the clean-up will',
      );
    }
  }

  #uploader(client: string): string {
    return createHmac('sha256', this.#options.secretKey).update(client).digest('hex');
  }
}

/** The public part of a declaration. */
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
  if (report.outcome === 'accepted') return report;
  throw new ManifestRefused(report.code, report.text);
}

/** Turns an error of the addon into a refusal, unless it is a fault. */
function throwRefusal(error: unknown): never {
  if (isNativeError(error, 'INVALID_ARGUMENT'))
    throw new StoreRefusal('BAD_REQUEST', { detail: error.message });
  if (isNativeError(error, 'BUSY')) throw new StoreRefusal('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
  if (isNativeError(error, 'TIMEOUT')) throw new StoreRefusal('OVERDUE', { retryAfter: RETRY_AFTER_SECONDS });
  throw error;
}
