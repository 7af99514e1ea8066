/**
 * An index in a database that follows hub logs. The process that follows them computes each change with its cache, commits
 * it in the database with the cursor, and then applies it; all others apply it like any change.
 */
import type { FollowedIndex, LogBatch, LogRehearsed, SearchEngine } from '../../../native.js';
import type { LogStore } from '../../../network/log-store.js';
import type { Cache } from './cache.js';
import type { Writes } from './writes.js';

/** Another process changed the hub's row: this one no longer follows, or its last commit had an unknown end. */
export class RowChanged extends Error {
  override readonly name = 'RowChanged';
}

export interface SharedLogsOptions {
  readonly engine: SearchEngine;
  readonly cache: Cache;
  readonly writes: Writes;
  readonly index: string;
  readonly realm: number;
  /** Waits until the cache has all committed changes. */
  readonly follow: () => Promise<void>;
}

export class SharedLogs implements LogStore {
  readonly #options: SharedLogsOptions;
  #cached: Promise<FollowedIndex>;
  #resets: number;

  constructor(options: SharedLogsOptions) {
    this.#options = options;
    this.#resets = options.cache.resets;
    this.#cached = options.engine.followLogs(options.index, options.realm);
  }

  /** Waits until all that other processes have committed is visible. */
  current(): Promise<void> {
    return this.#options.follow();
  }

  hubs: LogStore['hubs'] = async () => (await this.#local()).hubs();
  root: LogStore['root'] = async (...query) => (await this.#local()).root(...query);
  verify: LogStore['verify'] = async (...query) => (await this.#local()).verify(...query);
  consistencyProof: LogStore['consistencyProof'] = async (...query) =>
    (await this.#local()).consistencyProof(...query);
  evidence: LogStore['evidence'] = async (hub) => (await this.#local()).evidence(hub);
  inclusion: LogStore['inclusion'] = async (id) => (await this.#local()).inclusion(id);
  claims: LogStore['claims'] = async (ids) => (await this.#local()).claims(ids);
  tile: LogStore['tile'] = async (...query) => (await this.#local()).tile(...query);
  bundle: LogStore['bundle'] = async (...query) => (await this.#local()).bundle(...query);

  async putHub(hub: number, row: string): Promise<void> {
    const change = await (await this.#local()).rehearsePutHub(hub, row);
    await this.#commit(hub, change, cursorOf(row));
  }

  async putEvidence(hub: number, evidence: string, row: string): Promise<number> {
    const change = await (await this.#local()).rehearsePutEvidence(hub, evidence, row);
    await this.#commit(hub, change, cursorOf(row));
    return Number(change.result);
  }

  async apply(batch: LogBatch): Promise<string | null> {
    const change = await (await this.#local()).rehearseApply(batch);
    if (change === null) return null;
    await this.#commit(batch.hub, change, batch.cursor);
    return change.result;
  }

  async reset(hub: number): Promise<void> {
    const change = await (await this.#local()).rehearseReset(hub);
    await this.#commit(hub, change, cursorOf(change.before));
  }

  /** The index of the cache. It remembers parts of logs, which a reset by another process makes invalid. */
  #local(): Promise<FollowedIndex> {
    const { cache, engine, index, realm } = this.#options;
    if (this.#resets !== cache.resets) {
      this.#resets = cache.resets;
      this.#cached = engine.followLogs(index, realm);
    }
    return this.#cached;
  }

  /** @throws {RowChanged} if the hub's row is not the one that the change was computed from */
  #commit(hub: number, change: LogRehearsed, cursor: number): Promise<void> {
    return this.#options.writes.follow(this.#options.index, change, async () => {
      const present = (await (await this.#local()).hub(hub)) ?? undefined;
      if (present !== change.before || cursorOf(present) !== cursor)
        throw new RowChanged(`the row of hub ${hub} was changed by another process`);
    });
  }
}

/** Entries that were applied, by the row of a hub. The hub list, which is stored in the same place, has no cursor. */
function cursorOf(row: string | undefined): number {
  const { cursor } = JSON.parse(row ?? '{}') as { readonly cursor?: unknown };
  return typeof cursor === 'number' ? cursor : 0;
}
