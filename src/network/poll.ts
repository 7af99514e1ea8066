/**
 * One poll of a hub: fetch a checkpoint, verify it against all that was accepted before, apply what is new. Nothing is
 * accepted that is not under a verified root.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError, type LogBundle, type LogCheckpoint, native } from '../native.js';
import type { ListedHub } from './hub-list.js';
import { BLOCK, FileUnavailable, firstRecords, type LogFiles } from './log-files.js';
import type { LogStore } from './log-store.js';
import type { HubRow, LogHead, Outcome, ViolationKind } from './state.js';

/** Up to this many new entries, bundles alone prove everything; above, tiles of block roots save memory. */
const GROWTH_MAX = 4096;
/** Blocks of one transaction while reading a long log, and its bytes: entries of hostile hubs may be long. */
const BLOCKS_PER_COMMIT = 16;
const COMMIT_BYTES_MAX = 16 * 1024 * 1024;
const TREE_SIZE_MAX = 1e9;
const EVIDENCE_MAX = 1000;
/** Pause before a failed request for a checkpoint is repeated. */
const REPEAT_AFTER_MS = 1000;
/** Key changes that a row remembers. */
const KEY_CHANGES_MAX = 100;
/** The did:web document is read again after this, and dropped if it can't be read for so long. */
const DID_FRESH_MS = 24 * 3_600_000;
const DID_KEPT_MS = 7 * 24 * 3_600_000;

export type KeySources = 'both' | 'list' | 'did';

export interface PollOptions {
  readonly hub: ListedHub;
  readonly index: LogStore;
  readonly files: LogFiles;
  readonly keys: KeySources;
  /** Whether deletions delete assets. */
  readonly deletes: boolean;
  /** Whether to keep entry bundles, to serve them to others. */
  readonly mirrors: boolean;
  /** When the keys of the did:web document were read. */
  readonly didAge: DidAge;
  readonly signal: AbortSignal;
  /** Called with each row that the engine stored. */
  readonly onRow: (row: HubRow) => void;
  /** Called with the row when the did:web document was read. It is not stored yet. */
  readonly onDid: (row: HubRow) => void;
  /** A head was signed by another key than the last one. */
  readonly onKeyChanged: (before: LogHead, now: LogHead) => void;
  /** Duration of judging and committing one batch. */
  readonly onCommit: (seconds: number) => void;
}

/** Time of the last reading of a did:web document, on the monotonic clock, so that a changed clock drops no keys. */
export interface DidAge {
  readMs: number;
}

/** The verified members of a checkpoint. */
interface Verified {
  readonly size: number;
  readonly root: Buffer;
  readonly head: LogHead;
}

/** The material does not prove the checkpoint. */
class Contradiction extends Error {
  override readonly name = 'Contradiction';
}

/** Polls once. The row in `onRow` is the present one; the outcome says how it ended. */
export async function poll(row: HubRow, options: PollOptions): Promise<Outcome> {
  const session = new Poll(row, options);
  try {
    return await session.run();
  } catch (error) {
    return outcomeOf(error, options.signal);
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return { kind: 'stopped' };
  if (error instanceof FileUnavailable) {
    if (error.isMissing) return { kind: 'unverifiable', reason: error.message };
    const { retryAfterMs } = error;
    return {
      kind: 'unreachable',
      reason: error.message,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  if (isNativeError(error, 'STORAGE_FULL')) return { kind: 'full' };
  throw error;
}

class Poll {
  #row: HubRow;
  readonly #options: PollOptions;
  #didFetched = false;

  constructor(row: HubRow, options: PollOptions) {
    this.#row = row;
    this.#options = options;
  }

  async run(): Promise<Outcome> {
    const { head, cursor } = this.#row;
    if (this.#row.state !== 'frozen' && head !== null && cursor < head.size)
      return this.#resume(head, this.#options.files, false);
    return this.#attempt(this.#options.files, false);
  }

  async #attempt(files: LogFiles, isRetry: boolean): Promise<Outcome> {
    const judged = await this.#present(files);
    if ('kind' in judged) return judged;
    if (this.#row.state === 'frozen') return this.#collectEvidence(judged);
    try {
      return await this.#accept(judged, files);
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      if (!isRetry) return this.#attempt(files.uncached(), true);
      return this.#proveFork(judged, files, error);
    }
  }

  /** The hub's present checkpoint. */
  async #present(files: LogFiles): Promise<Verified | Outcome> {
    const note = await checkpointOf(files, this.#options.signal);
    if (note.kind !== 'ok') return note;
    const judged = await this.#judge(note.bytes);
    const isTooLarge = 'size' in judged && judged.size > TREE_SIZE_MAX;
    return isTooLarge ? { kind: 'unverifiable', reason: 'the tree is too large' } : judged;
  }

  /** Verifies a note with the keys of the list, then with those of the did:web document. */
  async #judge(note: Buffer): Promise<Verified | Outcome> {
    const { hub, keys } = this.#options;
    const listed = keys === 'did' ? [] : hub.keys;
    const fromList = native.judgeLogCheckpoint(note, hub.origin, [...listed]);
    if (fromList.refused !== 'unsigned' || keys === 'list') return this.#verdict(note, fromList, 'list');
    const known = await this.#didKeys(false);
    let fromDid = native.judgeLogCheckpoint(note, hub.origin, [...known]);
    if (fromDid.refused === 'unsigned')
      fromDid = native.judgeLogCheckpoint(note, hub.origin, [...(await this.#didKeys(true))]);
    return this.#verdict(note, fromDid, 'did');
  }

  #verdict(note: Buffer, judged: LogCheckpoint, source: 'list' | 'did'): Verified | Outcome {
    const { refused, size, root, key, keyId } = judged;
    if (refused === 'form') return { kind: 'unreachable', reason: 'the checkpoint is malformed' };
    if (size == null || root == null || key == null || keyId == null)
      return { kind: 'unverified', reason: refused ?? 'unsigned' };
    const head: LogHead = {
      size,
      root: root.toString('base64'),
      note: note.toString(),
      key,
      key_id: keyId,
      key_source: source,
      time: new Date().toISOString(),
    };
    return { size, root, head };
  }

  /** Keys of the did:web document; read at most once a poll. */
  async #didKeys(refresh: boolean): Promise<readonly string[]> {
    const { did } = this.#row;
    const { didAge } = this.#options;
    const age = did === undefined ? Number.POSITIVE_INFINITY : performance.now() - didAge.readMs;
    if (!this.#didFetched && (refresh || age > DID_FRESH_MS)) {
      this.#didFetched = true;
      const keys = await this.#options.files.didKeys(this.#options.hub.origin);
      if (keys !== undefined) {
        didAge.readMs = performance.now();
        this.#row = { ...this.#row, did: { keys, read: new Date().toISOString() } };
        // Also if this poll accepts nothing: keys that the document lacks must not be trusted by the next one.
        this.#options.onDid(this.#row);
        return keys;
      }
    }
    return age > DID_KEPT_MS ? [] : (did?.keys ?? []);
  }

  /** Compares a verified checkpoint with what was accepted before and applies what is new. */
  async #accept(checkpoint: Verified, files: LogFiles): Promise<Outcome> {
    const { size, root } = checkpoint;
    const { cursor, head } = this.#row;
    const accepted = head?.size ?? 0;
    if (head !== null && size <= accepted) return this.#compare(checkpoint, head);
    if (size === 0) {
      await this.#storeHead(checkpoint.head);
      return { kind: 'progress' };
    }
    if (size - cursor > GROWTH_MAX) return this.#acceptLong(checkpoint, files);
    const bundles = await smallBundles(files, cursor, size);
    if (bundles === undefined) return this.#acceptLong(checkpoint, files);
    const roots = await native.logBundleRoots(bundles);
    if (roots === null) throw new Contradiction('a bundle is malformed');
    if (!(await this.#verifies(roots, size, root))) throw new Contradiction('the root differs');
    await this.#apply(bundles, roots, this.#withHead(checkpoint.head));
    return { kind: 'progress' };
  }

  /** A checkpoint that is not larger than the accepted one. */
  async #compare(checkpoint: Verified, accepted: LogHead): Promise<Outcome> {
    const { size, head } = checkpoint;
    const contradiction = await this.#ownContradiction(checkpoint, accepted);
    if (contradiction !== undefined) return this.#freeze(head, contradiction.proof);
    if (size < accepted.size) return { kind: 'rolled_back' };
    const isNew = head.key !== accepted.key || this.#row.origin !== this.#options.hub.origin;
    if (isNew) await this.#storeHead(head);
    return { kind: 'progress' };
  }

  async #ownRoot(size: number): Promise<string | undefined> {
    const { index, hub } = this.#options;
    return (await index.root(hub.hubId, size))?.toString('base64');
  }

  #verifies(roots: Buffer, size: number, root: Buffer): Promise<boolean> {
    const { index, hub } = this.#options;
    return index.verify(hub.hubId, Math.floor(this.#row.cursor / BLOCK), roots, size, root);
  }

  /** Verifies a much larger checkpoint by block roots, stores it, and reads the log up to it. */
  async #acceptLong({ size, root, head }: Verified, files: LogFiles): Promise<Outcome> {
    const roots = await this.#blockRoots(files, size);
    if (roots === undefined || !(await this.#verifies(roots, size, root)))
      throw new Contradiction('the root differs');
    await this.#storeHead(head);
    try {
      return await this.#readBlocks(files, size, roots);
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      return this.#resume(head, files.uncached(), true);
    }
  }

  /** Roots of all blocks from the cursor's on, the last one partial; `undefined` if the material contradicts ours. */
  async #blockRoots(files: LogFiles, size: number): Promise<Buffer | undefined> {
    const { cursor } = this.#row;
    const first = Math.floor(cursor / BLOCK);
    const full = await files.blockRoots(first, size);
    const last = Math.floor(size / BLOCK);
    const tail = size % BLOCK === 0 ? undefined : await files.bundle(last, size);
    const ends = tail === undefined ? Buffer.alloc(0) : await native.logBundleRoots([tail]);
    if (ends === null) return undefined;
    const known = cursor % BLOCK;
    if (known > 0) {
      // The block in which we stopped must continue the entries that were applied.
      const bundle = first === last && tail !== undefined ? tail : await files.bundle(first, size);
      const bytes = firstRecords(Buffer.from(bundle.bytes), known);
      const begun = await native.logBundleRoots([{ block: first, width: known, bytes }]);
      const own = await this.#options.index.root(this.#options.hub.hubId, cursor);
      if (begun === null || own === null || !(await this.#verifies(begun, cursor, own))) return undefined;
    }
    return Buffer.concat([full, ends]);
  }

  /** Applies all blocks up to a stored head, some per transaction. @throws {Contradiction} */
  async #readBlocks(files: LogFiles, size: number, roots: Buffer): Promise<Outcome> {
    const first = Math.floor(this.#row.cursor / BLOCK);
    let group: LogBundle[] = [];
    const commit = async () => {
      const from = ((group[0]?.block ?? first) - first) * 32;
      await this.#apply(group, roots.subarray(from, from + group.length * 32), this.#row);
      group = [];
    };
    for await (const bundle of files.bundles(first, size)) {
      group.push(bundle);
      if (group.length === BLOCKS_PER_COMMIT || bytesOf(group) > COMMIT_BYTES_MAX) await commit();
      this.#options.signal.throwIfAborted();
    }
    if (group.length > 0) await commit();
    return { kind: 'progress' };
  }

  /** Reads on towards a head that was stored before an interruption: if that fails, the hub's material is at fault. */
  async #resume(head: LogHead, files: LogFiles, isRetry: boolean): Promise<Outcome> {
    const root = Buffer.from(head.root, 'base64');
    try {
      const roots = await this.#blockRoots(files, head.size);
      if (roots === undefined || !(await this.#verifies(roots, head.size, root)))
        throw new Contradiction('the log does not match the accepted checkpoint');
      return await this.#readBlocks(files, head.size, roots);
    } catch (error) {
      if (error instanceof Contradiction)
        return isRetry ? this.#proveForkNow(files, error) : this.#resume(head, files.uncached(), true);
      if (!(error instanceof FileUnavailable && error.isMissing)) throw error;
      return this.#resumeBeyond(head, files, error);
    }
  }

  /** The files of a stored head are gone: a later checkpoint whose material contains that head takes its place. */
  async #resumeBeyond(head: LogHead, files: LogFiles, cause: FileUnavailable): Promise<Outcome> {
    const judged = await this.#present(files);
    if ('kind' in judged) return judged;
    if (judged.size <= head.size) return this.#proveFork(judged, files, cause);
    const material = await files.material(head.size, judged.size);
    const isExtension =
      material.oldRoot?.toString('base64') === head.root && material.root?.equals(judged.root) === true;
    if (!isExtension)
      return this.#proveFork(judged, files, new Error('the log does not extend the accepted checkpoint'));
    const roots = await this.#blockRoots(files, judged.size);
    if (roots === undefined || !(await this.#verifies(roots, judged.size, judged.root)))
      return { kind: 'unverifiable', reason: 'the log does not match its checkpoint' };
    await this.#storeHead(judged.head);
    try {
      return await this.#readBlocks(files, judged.size, roots);
    } catch (error) {
      if (error instanceof Contradiction) return { kind: 'unverifiable', reason: error.message };
      throw error;
    }
  }

  /** Freezes the hub if its own material proves two heads that can't both be true. */
  async #proveFork(checkpoint: Verified, files: LogFiles, cause: Error): Promise<Outcome> {
    const accepted = this.#row.head;
    if (accepted === null || accepted.size === 0) return { kind: 'unverifiable', reason: cause.message };
    const contradiction = await this.#contradiction(checkpoint, accepted, files);
    if (contradiction === undefined) return { kind: 'unverifiable', reason: cause.message };
    return this.#freeze(checkpoint.head, contradiction.proof);
  }

  /** The log is not that of the accepted head: the hub's present checkpoint may prove it. */
  async #proveForkNow(files: LogFiles, cause: Error): Promise<Outcome> {
    const judged = await this.#present(files);
    if ('kind' in judged) return { kind: 'unverifiable', reason: cause.message };
    return this.#proveFork(judged, files, cause);
  }

  #contradiction(checkpoint: Verified, accepted: LogHead, files: LogFiles) {
    return checkpoint.size > accepted.size
      ? this.#materialContradiction(checkpoint, accepted, files)
      : this.#ownContradiction(checkpoint, accepted);
  }

  async #ownProof(size: number, accepted: LogHead): Promise<Buffer | undefined> {
    const { index, hub } = this.#options;
    if (size === 0 || size === accepted.size) return undefined;
    return (await index.consistencyProof(hub.hubId, size, accepted.size)) ?? undefined;
  }

  /** Stores the contradiction between the accepted head and another one. */
  async #freeze(other: LogHead, proof: Buffer | undefined): Promise<Outcome> {
    const { index, hub } = this.#options;
    const violation: ViolationKind = this.#row.origin === hub.origin ? 'fork' : 'replaced';
    const since = new Date().toISOString();
    const row: HubRow = { ...this.#row, state: 'frozen', alarm: { kind: violation, since, evidence: 0 } };
    const evidence = evidenceOf(violation, this.#row.head, other, proof);
    const number = await index.putEvidence(hub.hubId, JSON.stringify(evidence), JSON.stringify(row));
    return { kind: 'frozen', violation, evidence: number };
  }

  /** A frozen hub only adds to its evidence. */
  async #collectEvidence(checkpoint: Verified): Promise<Outcome> {
    const { index, hub, files } = this.#options;
    const accepted = this.#row.head;
    const stored = await index.evidence(hub.hubId);
    const isKnown = stored.some((text) => text.includes(JSON.stringify(checkpoint.head.note)));
    if (accepted === null || isKnown || stored.length >= EVIDENCE_MAX) return { kind: 'progress' };
    const contradiction = await this.#contradiction(checkpoint, accepted, files);
    if (contradiction === undefined) return { kind: 'progress' };
    const evidence = evidenceOf('fork', accepted, checkpoint.head, contradiction.proof);
    await index.putEvidence(hub.hubId, JSON.stringify(evidence), JSON.stringify(this.#row));
    return { kind: 'progress' };
  }

  /** A contradiction between the applied entries and a checkpoint that is not larger than the accepted one. */
  async #ownContradiction({ size, root }: Verified, accepted: LogHead) {
    const own = size === accepted.size ? accepted.root : await this.#ownRoot(size);
    // Unknown as long as the entries up to there are not read.
    if (own === undefined || own === root.toString('base64')) return undefined;
    return { proof: await this.#ownProof(size, accepted) };
  }

  /** A contradiction between the accepted head and a larger checkpoint, from the hub's material alone. */
  async #materialContradiction({ size, root }: Verified, accepted: LogHead, files: LogFiles) {
    const material = await files.material(accepted.size, size);
    const isSigned = material.root?.equals(root) === true;
    const isOther = material.oldRoot != null && material.oldRoot.toString('base64') !== accepted.root;
    return isSigned && isOther ? { proof: material.proof ?? undefined } : undefined;
  }

  #withHead(head: LogHead): HubRow {
    const { url, origin } = this.#options.hub;
    const { head: before, key_changes: known = [] } = this.#row;
    const since = this.#row.since ?? { size: head.size, time: head.time };
    const row = { ...this.#row, url, origin, head, since };
    if (before === null || before.key === head.key) return row;
    this.#options.onKeyChanged(before, head);
    const { key_source: source, size, time } = head;
    const change = { before: before.key_id, now: head.key_id, source, size, time };
    return { ...row, key_changes: [...known, change].slice(-KEY_CHANGES_MAX) };
  }

  async #storeHead(head: LogHead): Promise<void> {
    const row = this.#withHead(head);
    await this.#options.index.putHub(this.#options.hub.hubId, JSON.stringify(row));
    this.#stored(row);
  }

  /** Judges and commits; the row comes back with the new cursor and counts. */
  async #apply(bundles: LogBundle[], roots: Buffer, row: HubRow): Promise<void> {
    const { index, hub, deletes, mirrors: keepsBundles, onCommit } = this.#options;
    const startedMs = performance.now();
    const stored = await index.apply({
      hub: hub.hubId,
      cursor: this.#row.cursor,
      bundles,
      roots,
      nowMs: Date.now(),
      deletes,
      keepsBundles,
      row: JSON.stringify({ ...row, state: 'catching_up' satisfies HubRow['state'] }),
    });
    onCommit((performance.now() - startedMs) / 1000);
    if (stored === null) throw new Contradiction('a bundle does not have the verified entries');
    this.#stored(JSON.parse(stored) as HubRow);
  }

  #stored(row: HubRow): void {
    this.#row = row;
    this.#options.onRow(row);
  }
}

/** Bundles from the cursor's block on; `undefined` if they are too large to hold them all at once. */
async function smallBundles(files: LogFiles, cursor: number, size: number): Promise<LogBundle[] | undefined> {
  const bundles: LogBundle[] = [];
  for await (const bundle of files.bundles(Math.floor(cursor / BLOCK), size)) {
    bundles.push(bundle);
    if (bytesOf(bundles) > COMMIT_BYTES_MAX && bundles.length > 1) return undefined;
  }
  return bundles;
}

function bytesOf(bundles: readonly LogBundle[]): number {
  return bundles.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** One failed request is repeated once, so that a single error does not cost a back-off. */
async function checkpointOf(
  files: LogFiles,
  signal: AbortSignal,
): Promise<{ kind: 'ok'; bytes: Buffer } | Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { kind: 'ok', bytes: await files.checkpoint() };
    } catch (error) {
      if (!(error instanceof FileUnavailable)) throw error;
      const { message: reason, retryAfterMs } = error;
      const isPatient = (retryAfterMs ?? 0) <= REPEAT_AFTER_MS;
      if (attempt > 1 || !isPatient)
        return { kind: 'unreachable', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    await sleep(REPEAT_AFTER_MS, undefined, { signal });
  }
}

/** Both notes verbatim and, where the sizes differ, the RFC 6962 proof that the larger tree has another root at the smaller size. */
function evidenceOf(
  kind: ViolationKind,
  accepted: LogHead | null,
  other: LogHead,
  proof: Buffer | undefined,
) {
  const hashes = proof === undefined ? [] : Array.from({ length: proof.length / 32 }, (_, at) => at);
  return {
    kind,
    time: other.time,
    accepted: accepted?.note ?? null,
    other: other.note,
    proof: hashes.map((at) => proof?.subarray(at * 32, at * 32 + 32).toString('base64')),
  };
}
