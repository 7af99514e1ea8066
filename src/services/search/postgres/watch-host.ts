/** Watches of indexes in PostgreSQL. The statement that stores a batch also records it, if its index has watches. */
import type { SearchEngine } from '../../../native.js';
import { WRITE_MS_MAX } from '../../../storage/database/session.js';
import { within } from '../../../storage/database/within.js';
import { lockFeed } from '../../../storage/feed/feed.js';
import type { WatchHost, WatchPlace } from '../watches/host.js';
import { type WatchDb, watchesOf } from '../watches/tables.js';
import type { Cache } from './cache.js';
import type { SearchDb } from './tables.js';
import { unavailable } from './writes.js';

export interface WatchHostParts {
  readonly db: SearchDb;
  readonly engine: SearchEngine;
  readonly cache: Cache;
  readonly whenLoaded: () => Promise<void>;
  readonly onUnavailable: (error: unknown) => void;
}

export class PostgresWatchHost implements WatchHost {
  readonly #parts: WatchHostParts;
  onChange: () => void = () => {};

  constructor(parts: WatchHostParts) {
    this.#parts = parts;
  }

  async db(): Promise<WatchDb> {
    return watchesOf(this.#parts.db);
  }

  async idOf(index: string): Promise<number | undefined> {
    const { name } = JSON.parse((await this.#parts.engine.getIndex(index)).toString()) as { name: string };
    return this.#parts.cache.idOf(name);
  }

  async nameOf(id: number): Promise<string | undefined> {
    const { db } = this.#parts;
    return (await db.selectFrom('indexes').select('name').where('id', '=', id).executeTakeFirst())?.name;
  }

  async watch<T>(index: string, work: (place: WatchPlace) => Promise<T>): Promise<T> {
    const { db, onUnavailable } = this.#parts;
    const id = (await this.idOf(index)) ?? 0;
    try {
      return await db.transaction().execute(async (transaction) => {
        const since = await within(WRITE_MS_MAX, lockFeed(transaction, 0));
        const known = transaction.selectFrom('indexes').select('id').where('id', '=', id);
        // It was deleted since: the engine says so.
        if ((await known.executeTakeFirst()) === undefined) await this.#parts.engine.getIndex(index);
        return work({ transaction: transaction as unknown as WatchPlace['transaction'], index: id, since });
      });
    } catch (error) {
      throw unavailable(error, onUnavailable);
    }
  }

  commit<T>(work: (transaction: WatchDb) => Promise<T>): Promise<T> {
    return watchesOf(this.#parts.db).transaction().execute(work);
  }

  /** A change is committed together with its record. */
  isApplied(): boolean {
    return true;
  }

  ready(): Promise<void> {
    return this.#parts.whenLoaded();
  }

  /** The engine closes the database. */
  async close(): Promise<void> {}
}
