/** Use cases of the store: store, fetch, query, delete and release manifests. Independent of HTTP. */
import { createHmac } from 'node:crypto';
import type { Binding } from '../../c2pa/content-query.js';
import { manifestUrl } from '../../c2pa/manifest-url.js';
import { isNativeError } from '../../native.js';
import type { Logger } from '../../platform/observe/log.js';
import type { Trace } from '../../platform/observe/trace.js';
import type { ContentBlobs } from '../../storage/blobs/content-port.js';
import type { StoredBlob } from '../../storage/blobs/port.js';
import type { Actor } from '../../storage/database/audit.js';
import { within } from '../../storage/database/within.js';
import { addBinding, moveBinding, requestedBinding } from './bindings/added-bindings.js';
import type { SyncedBindingIndex } from './bindings/binding-index.js';
import { type Match, rankedMatches } from './bindings/ranking.js';
import type { Declarer, Retried } from './declarer.js';
import { ManifestRefused, StoreRefusal } from './errors.js';
import { readableBytes } from './files/manifest-bytes.js';
import { FileVanished, type Manifests, type StoredManifest } from './manifests/manifests.js';
import type { Tombstone } from './manifests/tombstones.js';
import type { BindingRequest, UploadAnswer } from './schema.js';
import { type Checked, uploadAnswer } from './upload-answer.js';
import type { AcceptedManifest, ManifestReport, Validator } from './validation/validator.js';

export interface StoreOptions {
  /** Public base URL without a trailing slash. */
  readonly url: string;
  readonly secretKey: string;
  readonly matchThreshold: number;
  readonly declareDefault: boolean;
  /** Whether a manifest by a trusted signer takes its id from one by an untrusted signer. */
  readonly trustedDisplaces?: boolean;
  /** How long a deleted manifest can be restored; 0 by default. */
  readonly undoMs?: number;
}

export interface StoreParts {
  readonly manifests: Manifests;
  readonly index: SyncedBindingIndex;
  readonly blobs: ContentBlobs;
  readonly validator: Validator;
  readonly declarer: Declarer;
  /** Names of the current list of algorithms. */
  readonly listedAlgorithms: () => ReadonlySet<string>;
  readonly isManifestId: (text: string) => boolean;
  /** SHA-256 in hex, computed off the event loop. */
  readonly digest: (bytes: Uint8Array) => Promise<string>;
  readonly log: Logger;
}

export interface UploadOptions {
  readonly declare?: boolean;
  readonly client: string;
  readonly publisher?: string | undefined;
  readonly trace?: Trace;
}

export interface FoundManifest {
  readonly manifestId: string;
  readonly blob: StoredBlob;
  readonly sha256: string;
}

/** Called after the commit with the key of the manifest that was stored or deleted. Never rejects. */
export type ChangeListener = (key: number) => Promise<void>;

const RETRY_AFTER_SECONDS = 1;
/** How often an upload retries when a concurrent release or clean-up removes its id or file. */
const UPLOAD_TRIES = 5;
const OLD_PENDING_MS = 15 * 60 * 1000;
/** A probe says within this time that the database does not respond. */
const PROBE_MS_MAX = 2000;

export interface Removal {
  readonly actor: Actor;
  readonly publisher?: string | undefined;
  readonly isExpected?: (sha256: string) => boolean;
}

export interface BindOptions {
  /** Whether the value is taken from the manifests that it was added to. */
  readonly move: boolean;
  readonly actor: Actor;
  readonly publisher: string | undefined;
  readonly declare?: boolean | undefined;
  readonly trace?: Trace;
}

export class StoreService {
  readonly #options: StoreOptions;
  readonly #parts: StoreParts;
  readonly #listeners: ChangeListener[] = [];
  readonly #healthChecks: (() => boolean)[] = [];
  /** Digests of files that were found missing or damaged. */
  readonly #damagedFiles = new Set<string>();

  constructor(options: StoreOptions, parts: StoreParts) {
    this.#options = options;
    this.#parts = parts;
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** The store is degraded while a check returns `false`. */
  addHealthCheck(check: () => boolean): void {
    this.#healthChecks.push(check);
  }

  /** Notifies the listeners of a manifest that changed. */
  async changed(key: number): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener(key)));
  }

  /**
   * Validates, stores, indexes and declares a Manifest Store.
   *
   * @param client address or network that counts as the uploader; only a keyed hash of it is stored
   * @param publisher owner of the upload token; becomes the owner of equal bytes that were uploaded without a token
   * @throws {ManifestRefused} if the bytes are not an acceptable Manifest Store
   * @throws {StoreRefusal} if the id is taken, or the validator is busy
   */
  async upload(
    bytes: Uint8Array,
    { declare, client, publisher, trace }: UploadOptions,
  ): Promise<UploadAnswer> {
    const sha256 = await this.#parts.digest(bytes).catch(throwRefusal);
    const same = await this.#parts.manifests.findLiveBytes(sha256);
    const found = await this.#parts.validator.validate(bytes).catch(throwRefusal);
    // Equal bytes stay stored if they are no longer valid, because a certificate expired.
    if (same !== undefined) return this.#answerStored(same, bytes, { report: found, publisher, client });
    const report = accepted(found);
    for (let tries = 0; tries < UPLOAD_TRIES; tries += 1) {
      const existing = await this.#parts.manifests.findById(report.manifestId);
      const displaced = existing && this.#displaces(report, existing, sha256) ? existing : undefined;
      if (existing !== undefined && displaced === undefined)
        return this.#answerTaken(existing, sha256, bytes, { report, publisher, client });
      await this.#parts.blobs.put(sha256, bytes);
      const wanted = declare ?? this.#options.declareDefault;
      const upload = { sha256, size: bytes.length, client, publisher, wanted };
      const key = await this.#insert(report, upload, displaced);
      if (key === undefined) continue;
      if (displaced !== undefined) await this.#afterDisplacement(displaced, key, trace);
      return this.#finishUpload(key, { report, publisher, client }, trace);
    }
    throw new StoreRefusal('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
  }

  /** @throws {StoreRefusal} if the manifest is unknown or deleted, or its file is missing */
  async fetch(manifestId: string): Promise<FoundManifest> {
    const { sha256 } = await this.live(manifestId);
    const blob = await this.#parts.blobs.find(sha256);
    if (blob !== undefined) return { manifestId, blob, sha256 };
    // Unless another request has deleted it meanwhile.
    await this.live(manifestId);
    this.#reportDamage(manifestId, sha256, 'the file of a manifest is missing');
    throw new StoreRefusal('MANIFEST_NOT_FOUND');
  }

  /**
   * The bytes of a manifest, with the digest that they were stored under.
   *
   * @throws {StoreRefusal} like {@link fetch}, and if they have another digest
   */
  async read({ manifestId, blob, sha256 }: FoundManifest): Promise<Buffer> {
    const bytes = await readableBytes(blob);
    if (bytes === undefined) await this.live(manifestId);
    else if ((await this.#parts.digest(bytes).catch(throwRefusal)) === sha256) return bytes;
    this.#reportDamage(manifestId, sha256, 'the file of a manifest is damaged');
    throw new StoreRefusal('MANIFEST_DAMAGED');
  }

  /** Number of manifests whose files were found missing or damaged, and were not written again. */
  get damagedCount(): number {
    return this.#damagedFiles.size;
  }

  /** @throws {StoreRefusal} if the manifest is unknown or deleted */
  async live(manifestId: string): Promise<StoredManifest> {
    const found = this.#parts.isManifestId(manifestId)
      ? await this.#parts.manifests.findById(manifestId)
      : undefined;
    if (found === undefined) throw new StoreRefusal('MANIFEST_NOT_FOUND');
    if (!found.live) throw new StoreRefusal('MANIFEST_DELETED');
    return found;
  }

  /**
   * Live manifests with a matching binding, best first.
   *
   * @param decode returns the value's bytes; called after the algorithm was found on the list
   */
  async query(alg: string, decode: () => Uint8Array, maxResults: number): Promise<Match[]> {
    await this.checkAlgorithm(alg);
    return this.queryAny([{ alg, value: decode() }], maxResults);
  }

  /** @throws {StoreRefusal} unless the algorithm is on the list, or a stored manifest has a binding of it */
  async checkAlgorithm(alg: string): Promise<void> {
    const { listedAlgorithms, manifests } = this.#parts;
    if (listedAlgorithms().has(alg) || (await manifests.hasAlgorithm(alg))) return;
    throw new StoreRefusal('ALGORITHM_UNKNOWN', { detail: `Unknown soft binding algorithm: ${alg}` });
  }

  /** Live manifests that match one of the bindings, each with its best score, best first. */
  async queryAny(bindings: readonly Binding[], maxResults: number): Promise<Match[]> {
    const { index } = this.#parts;
    const threshold = this.#options.matchThreshold;
    const queries = bindings.map(({ alg, value }) => index.query(alg, value, threshold, maxResults));
    const best = new Map<number, number>();
    for (const { keys, scores } of await Promise.all(queries).catch(throwRefusal)) {
      for (const [at, key] of keys.entries()) best.set(key, Math.max(best.get(key) ?? 0, scores[at] ?? 0));
    }
    return rankedMatches(await this.#parts.manifests.findByKeys([...best.keys()]), best, maxResults);
  }

  /**
   * Binds a value to a manifest that does not name it.
   *
   * @throws {StoreRefusal} if a rule is broken, the manifest is not live, or it belongs to another publisher
   */
  async bind({ alg, bindingValue, manifestId }: BindingRequest, options: BindOptions): Promise<void> {
    const { move, actor, publisher, declare, trace } = options;
    const binding = requestedBinding(alg, bindingValue);
    const { key, publisher: owner } = await this.live(manifestId);
    if (publisher !== undefined && publisher !== owner) throw new StoreRefusal('NOT_OWNER');
    const { manifests, declarer } = this.#parts;
    const about = { manifestId, manifestUrl: manifestUrl(this.#options.url, manifestId) };
    const declaration = declarer.initial(
      { ...about, uploadedAt: Date.now(), bindings: [binding] },
      declare ?? this.#options.declareDefault,
    );
    const addition = { key, manifestId, binding, actor, publisher, declaration };
    const changed = await (move ? moveBinding : addBinding)(manifests.commits, addition);
    if (changed.includes(key)) await declarer.onStored(key, trace);
    await Promise.all(changed.map((one) => this.changed(one)));
  }

  /**
   * Deletes a manifest and makes one attempt to withdraw its declaration.
   *
   * @param publisher if it is set, only a manifest of this publisher is deleted
   * @param isExpected whether a manifest with these bytes is to be deleted
   */
  async remove(manifestId: string, { actor, publisher, isExpected }: Removal, trace?: Trace): Promise<void> {
    const { key, publisher: owner, sha256 } = await this.live(manifestId);
    if (publisher !== undefined && publisher !== owner) throw new StoreRefusal('NOT_OWNER');
    if (isExpected !== undefined && !isExpected(sha256)) throw new StoreRefusal('OTHER_BYTES');
    const [deleted] = await this.#tombstone([key], actor);
    if (deleted === undefined) {
      // A concurrent request deleted it first: refuse with its present state.
      await this.live(manifestId);
      throw new StoreRefusal('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
    }
    await this.#parts.declarer.onDeleted(key, trace);
  }

  /**
   * Deletes several manifests. Unknown and deleted ones are skipped. Does not wait for the hub: the retry loop
   * finishes the withdrawals that are open when the process ends.
   */
  async removeMany(keys: readonly number[], actor: Actor): Promise<{ deleted: number; skipped: number }> {
    const deleted = await this.#tombstone(keys, actor);
    void this.#withdraw(deleted);
    return { deleted: deleted.length, skipped: keys.length - deleted.length };
  }

  /** Frees the ids of tombstones. Live manifests and those whose declaration is still `declared` are skipped. */
  async release(keys: readonly number[], actor: Actor): Promise<{ released: number; skipped: number }> {
    const released = keys.length === 0 ? [] : await this.#parts.manifests.release(keys, actor);
    await this.#removeFiles(released.map(({ sha256 }) => sha256));
    return { released: released.length, skipped: keys.length - released.length };
  }

  /**
   * Makes deleted manifests live again whose bytes are kept. Others are skipped. Does not wait for the hub, if they have
   * to be declared again.
   */
  async restore(keys: readonly number[], actor: Actor): Promise<{ restored: number; skipped: number }> {
    const { manifests, blobs, declarer } = this.#parts;
    const hasFile = async (sha256: string) => (await blobs.find(sha256)) !== undefined;
    const options = { now: Date.now(), actor, target: declarer.target, hasFile };
    const restored = keys.length === 0 ? [] : await manifests.restore(keys, options);
    await Promise.all(restored.map((key) => this.changed(key)));
    void this.#declare(restored);
    return { restored: restored.length, skipped: keys.length - restored.length };
  }

  /** Attempts unfinished declarations now. After the time limit of a request it continues in the background. */
  retry(keys: readonly number[]): Promise<Retried> {
    return this.#parts.declarer.retry(keys);
  }

  algorithms(): Promise<string[]> {
    return this.#parts.manifests.algorithms(this.#parts.listedAlgorithms());
  }

  didDocument(): object | undefined {
    return this.#parts.declarer.didDocument();
  }

  /** Whether a declaration is pending for too long, the database is unreachable or a health check fails. */
  async isDegraded(): Promise<boolean> {
    if (!this.#healthChecks.every((check) => check())) return true;
    try {
      const { manifests } = this.#parts;
      return await within(PROBE_MS_MAX, manifests.hasOldPending(Date.now() - OLD_PENDING_MS));
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the database is unreachable');
      return true;
    }
  }

  /** The reason why the store can't work; `undefined` if it can. */
  async readiness(): Promise<string | undefined> {
    const { manifests, blobs } = this.#parts;
    const database = async () => {
      await manifests.hasAlgorithm('');
      return manifests.commits.problem();
    };
    try {
      return (await within(PROBE_MS_MAX, database())) ?? blobs.problem();
    } catch {
      return 'the database is unreachable';
    }
  }

  /** Deletes manifests and, unless they can be restored, their files. Returns the keys of those that were live. */
  async #tombstone(keys: readonly number[], actor: Actor): Promise<number[]> {
    if (keys.length === 0) return [];
    const now = Date.now();
    const { undoMs = 0 } = this.#options;
    const keptUntil = undoMs > 0 ? now + undoMs : undefined;
    const tombstones = await this.#parts.manifests.tombstone(keys, now, actor, keptUntil);
    if (keptUntil === undefined) await this.#removeFiles(tombstones.map(({ sha256 }) => sha256));
    else await this.#abandonWithoutFile(tombstones);
    const deleted = tombstones.map(({ key }) => key);
    await Promise.all(deleted.map((key) => this.changed(key)));
    return deleted;
  }

  /**
   * A manifest whose file was lost can't be restored. While the storage does not say so, it keeps its undo: the delete is
   * committed, and a restore looks for the file again.
   */
  async #abandonWithoutFile(tombstones: readonly Tombstone[]): Promise<void> {
    const { manifests, blobs, log } = this.#parts;
    const found = await Promise.allSettled(tombstones.map(({ sha256 }) => blobs.find(sha256)));
    const lost: number[] = [];
    for (const [at, { key, sha256 }] of tombstones.entries()) {
      const result = found[at];
      if (result?.status === 'rejected') {
        const file = blobs.placeOf(sha256);
        log.warn({ err: result.reason, file }, 'could not look for the file of a deleted manifest');
      } else if (result?.value === undefined) lost.push(key);
    }
    if (lost.length > 0) await manifests.abandonUndo(lost);
  }

  async #withdraw(keys: readonly number[]): Promise<void> {
    for (const key of keys) await this.#parts.declarer.onDeleted(key);
  }

  async #declare(keys: readonly number[]): Promise<void> {
    for (const key of keys) {
      await this.#parts.declarer.onStored(key);
      await this.changed(key);
    }
  }

  #displaces({ trusted }: AcceptedManifest, existing: StoredManifest, sha256: string): boolean {
    if (!this.#options.trustedDisplaces || !trusted) return false;
    return existing.live && !existing.trusted && existing.sha256 !== sha256;
  }

  async #afterDisplacement(
    { key: displaced, manifestId, sha256, publisher }: StoredManifest,
    key: number,
    trace: Trace | undefined,
  ): Promise<void> {
    this.#parts.log.warn(
      { manifestId, displaced, displacedBy: key, sha256, publisher },
      'a manifest by a trusted signer took the id of one by an untrusted signer',
    );
    await this.#removeFiles([sha256]);
    await this.changed(displaced);
    await this.#parts.declarer.onDeleted(displaced, trace);
  }

  async #insert(
    report: AcceptedManifest,
    upload: { sha256: string; size: number; client: string; publisher: string | undefined; wanted: boolean },
    displaced: StoredManifest | undefined,
  ): Promise<number | undefined> {
    const { manifests, blobs, declarer } = this.#parts;
    const { manifestId, bindings } = report;
    const { sha256, size, client, publisher, wanted } = upload;
    const uploadedAt = Date.now();
    const address = manifestUrl(this.#options.url, manifestId);
    const declaration = declarer.initial({ manifestId, manifestUrl: address, uploadedAt, bindings }, wanted);
    const uploader = this.#uploader(client);
    const hasFile = async () => (await blobs.find(sha256)) !== undefined;
    try {
      return await manifests.insert(
        { manifestId, sha256, size, uploadedAt, uploader, publisher, report, declaration },
        hasFile,
        displaced?.key,
      );
    } catch (error) {
      if (error instanceof FileVanished) return undefined;
      throw error;
    }
  }

  async #finishUpload(key: number, checked: Checked, trace: Trace | undefined): Promise<UploadAnswer> {
    await this.#parts.declarer.onStored(key, trace);
    // After the attempt, so that listeners read the ISCC-ID if it was declared.
    await this.changed(key);
    const [stored] = await this.#parts.manifests.findByKeys([key]);
    // Deleted and released by a concurrent request.
    if (stored === undefined) throw new StoreRefusal('MANIFEST_NOT_FOUND');
    return this.#answer(stored, checked);
  }

  async #answerTaken(
    existing: StoredManifest,
    sha256: string,
    bytes: Uint8Array,
    checked: Checked,
  ): Promise<UploadAnswer> {
    if (!existing.live) throw new StoreRefusal('ID_DELETED');
    if (existing.sha256 !== sha256) throw new StoreRefusal('ID_IN_USE');
    return this.#answerStored(existing, bytes, checked);
  }

  /**
   * The response for bytes that are stored already. If their file was lost or is damaged, it is written again. The first
   * publisher that uploads them becomes their owner.
   */
  async #answerStored(stored: StoredManifest, bytes: Uint8Array, checked: Checked): Promise<UploadAnswer> {
    const { blobs, log, manifests } = this.#parts;
    const { key, manifestId, sha256 } = stored;
    const { publisher, client } = checked;
    const blob = await blobs.find(sha256);
    const isIntact = blob !== undefined && (await readableBytes(blob))?.equals(bytes);
    if (!isIntact) {
      await blobs.put(sha256, bytes);
      log.warn(
        { manifestId, file: blobs.placeOf(sha256) },
        `the file of a manifest was ${blob === undefined ? 'missing' : 'damaged'}; restored it`,
      );
    }
    this.#damagedFiles.delete(sha256);
    if (stored.publisher !== null || publisher === undefined) return this.#answer(stored, checked);
    const actor = { kind: 'token', name: publisher, origin: client } as const;
    const owner = (await manifests.claim(key, publisher, actor)) ? publisher : stored.publisher;
    return this.#answer({ ...stored, publisher: owner }, checked);
  }

  #reportDamage(manifestId: string, sha256: string, message: string): void {
    this.#parts.log.error({ manifestId, file: this.#parts.blobs.placeOf(sha256) }, message);
    this.#damagedFiles.add(sha256);
  }

  #answer(stored: StoredManifest, checked: Checked): UploadAnswer {
    return uploadAnswer(stored, manifestUrl(this.#options.url, stored.manifestId), checked);
  }

  /** The manifests are deleted already: if this fails, the clean-up removes the files. */
  async #removeFiles(digests: readonly string[]): Promise<void> {
    if (digests.length === 0) return;
    const { manifests, blobs, log } = this.#parts;
    try {
      await manifests.whileUnused(digests, (digest) => blobs.remove(digest));
    } catch (error) {
      log.warn(
        { err: error, files: digests.map(blobs.placeOf, blobs) },
        'could not remove files; the clean-up will',
      );
    }
  }

  #uploader(client: string): string {
    return createHmac('sha256', this.#options.secretKey).update(client).digest('hex');
  }
}

function accepted(report: ManifestReport): AcceptedManifest {
  if (report.outcome === 'accepted') return report;
  throw new ManifestRefused(report.code, report.text);
}

/** Turns an error of the addon into a refusal, unless it is a fault. */
export function throwRefusal(error: unknown): never {
  if (isNativeError(error, 'INVALID_ARGUMENT'))
    throw new StoreRefusal('BAD_REQUEST', { detail: error.message });
  if (isNativeError(error, 'BUSY')) throw new StoreRefusal('BUSY', { retryAfter: RETRY_AFTER_SECONDS });
  if (isNativeError(error, 'TIMEOUT')) throw new StoreRefusal('OVERDUE', { retryAfter: RETRY_AFTER_SECONDS });
  throw error;
}
