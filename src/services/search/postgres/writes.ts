/**
 * Changes of the indexes: computed with the engine, which has all earlier changes then, committed in the database, then
 * applied to the cache.
 */
import type { Transaction } from 'kysely';
import type { ChangeOutcome, IndexChange, SearchEngine } from '../../../native.js';
import type { Logger } from '../../../platform/observe/log.js';
import { Slots } from '../../../platform/slots.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import { WRITE_MS_MAX } from '../../../storage/database/session.js';
import { isUnavailable } from '../../../storage/database/unavailable.js';
import { within } from '../../../storage/database/within.js';
import { lockFeed } from '../../../storage/feed/feed.js';
import { newPoint, type TaggedPoint } from '../../../storage/feed/history.js';
import { responseOf } from '../engine/outcome.js';
import type { Cache } from './cache.js';
import type { Followed } from './followed.js';
import { type Left, writeBatch } from './rows.js';
import type { SearchDb, SearchTables } from './tables.js';

/** Bytes of the requests that are committed together. */
const GROUP_BYTES_MAX = 16 * 1024 * 1024;

/** A request that waits for its turn. */
interface Waiting {
  readonly change: IndexChange;
  readonly done: (outcome: ChangeOutcome) => void;
  readonly failed: (error: unknown) => void;
}

/** The response to a request that changes nothing. */
export interface Unchanged<T> {
  readonly unchanged: T;
}

/** What a change of names does in the database and, after the commit, in the engine. */
export interface NameChange<T> {
  commit(transaction: Transaction<SearchTables>, point: TaggedPoint): Promise<void>;
  apply(point: TaggedPoint): Promise<T>;
}

export interface WritesOptions {
  readonly db: SearchDb;
  readonly engine: SearchEngine;
  readonly cache: Cache;
  readonly followed: Followed;
  readonly log: Logger | undefined;
  /** Called when the database is unreachable. */
  readonly onUnavailable: (error: unknown) => void;
}

export class Writes {
  readonly #options: WritesOptions;
  /** One transaction at a time: a second one would wait for the lock of the first one. */
  readonly #turn = new Slots(1);
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  /** Changes assets of an index. Requests that wait at the same time share a transaction. */
  async change(index: string, change: IndexChange): Promise<Buffer> {
    const outcome = await new Promise<ChangeOutcome>((done, failed) => {
      const waiting = this.#waiting.get(index) ?? [];
      this.#waiting.set(index, waiting);
      waiting.push({ change, done, failed });
      if (waiting.length === 1) void this.#turn.run(() => this.#commitGroup(index));
    });
    return responseOf(outcome);
  }

  /**
   * Changes names, aliases or declared paths.
   *
   * @param prepare decides with the engine's state what to do; throws to refuse
   */
  async changeNames<T>(prepare: () => Promise<NameChange<T> | Unchanged<T>>): Promise<T> {
    return this.#turn.run(() =>
      this.#commit(async (transaction, point) => {
        const prepared = await prepare();
        if ('unchanged' in prepared) return prepared;
        const { commit, apply } = prepared;
        await commit(transaction, point);
        await transaction
          .insertInto('changes')
          .values({ ...point, index_id: null, keys: null, count: 0 })
          .execute();
        return () => apply(point);
      }),
    );
  }

  /**
   * Stores a change of an index that follows logs.
   *
   * @param check throws if the change was not computed from the present state
   */
  async follow(index: string, change: Left, check: () => Promise<void>): Promise<void> {
    await this.#turn.run(() =>
      this.#commit(async (transaction, point) => {
        await check();
        const { cache } = this.#options;
        const id = cache.idOf(index);
        if (id === undefined) throw new Error(`the database has no index ${index}`);
        await writeBatch(transaction, id, point, change);
        return () =>
          cache.apply({ id, state: change.state }, { ...change, log: [...(change.log ?? [])] }, point);
      }),
    );
  }

  /** Waits until nothing is being written. */
  close(): Promise<void> {
    return this.#turn.run(async () => {});
  }

  async #commitGroup(index: string): Promise<void> {
    const group = this.#take(index);
    try {
      const outcomes = await this.#commit(async (transaction, point) => {
        const { engine, cache } = this.#options;
        const changes = group.map(({ change }) => change);
        const rehearsed = await engine.rehearse(index, changes);
        if (rehearsed.count === 0) return { unchanged: rehearsed.outcomes };
        const id = cache.idOf(rehearsed.index);
        if (id === undefined) throw new Error(`the database has no index ${rehearsed.index}`);
        await writeBatch(transaction, id, point, rehearsed);
        return async () => {
          await cache.apply({ id, state: rehearsed.state }, rehearsed, point);
          return rehearsed.outcomes;
        };
      });
      for (const [at, { done }] of group.entries()) done(outcomes[at] as ChangeOutcome);
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }

  /** The first of the waiting requests of an index; the rest gets its own turn. */
  #take(index: string): readonly Waiting[] {
    const waiting = this.#waiting.get(index) ?? [];
    let bytes = 0;
    const end = waiting.findIndex(({ change }, at) => {
      bytes += change.body.byteLength;
      return at > 0 && bytes > GROUP_BYTES_MAX;
    });
    const group = end < 0 ? waiting.splice(0) : waiting.splice(0, end);
    if (waiting.length === 0) this.#waiting.delete(index);
    else void this.#turn.run(() => this.#commitGroup(index));
    return group;
  }

  /**
   * Runs a transaction with the lock of the feed, while the cache has all changes before it, then the returned function.
   *
   * @throws {StorageUnavailable} if the database is unreachable; whether it has committed may be unknown then
   */
  async #commit<T>(
    work: (
      transaction: Transaction<SearchTables>,
      point: TaggedPoint,
    ) => Promise<(() => Promise<T>) | Unchanged<T>>,
  ): Promise<T> {
    const { db, followed, onUnavailable } = this.#options;
    const transaction = await db
      .startTransaction()
      .execute()
      .catch((error: unknown) => {
        throw unavailable(error, onUnavailable);
      });
    try {
      const point = newPoint(await within(WRITE_MS_MAX, lockFeed<SearchTables>(transaction)));
      return await followed.change(transaction, async () => {
        const prepared = await work(transaction, point);
        if ('unchanged' in prepared) {
          await transaction.rollback().execute();
          return prepared.unchanged;
        }
        await within(WRITE_MS_MAX, transaction.commit().execute());
        return this.#applied(point, prepared);
      });
    } catch (error) {
      // Without waiting: behind a commit that hangs, it hangs, too.
      if (!transaction.isCommitted && !transaction.isRolledBack)
        transaction
          .rollback()
          .execute()
          .catch(() => {});
      throw unavailable(error, onUnavailable);
    }
  }

  async #applied<T>(point: TaggedPoint, apply: () => Promise<T>): Promise<T> {
    const { followed, log } = this.#options;
    try {
      const result = await apply();
      followed.applied(point);
      return result;
    } catch (error) {
      log?.error({ err: error }, 'a committed change could not be applied to the cache of the indexes');
      followed.mistrust();
      throw error;
    }
  }
}

/** The error, or that the database is unreachable. */
export function unavailable(error: unknown, onUnavailable: (error: unknown) => void): unknown {
  if (error instanceof StorageUnavailable) onUnavailable(error);
  if (!isUnavailable(error)) return error;
  onUnavailable(error);
  return new StorageUnavailable('The database of the indexes is unavailable', { cause: error });
}
