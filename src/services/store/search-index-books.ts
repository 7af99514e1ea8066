/**
 * Books of one similarity index, in the database: how far it follows the change feed, which process feeds it, and whether
 * that works. A process feeds an index only while it holds the lease, so replicas do not feed one index twice.
 */
import type { Db, IndexBookUpdate } from '../../storage/database/tables.js';
import type { Point } from '../../storage/feed/history.js';
import { Lease } from '../../storage/feed/lease.js';
import * as entries from './search-index-sync-rows.js';

/** Longer than any request to a search service, so that a lease outlives the request it was renewed for. */
const LEASE_MS = 20_000;

/** Where an index is in the change feed. */
export interface Position {
  /** The last applied change; `undefined` if the index has to be filled from the start. */
  readonly point: Point | undefined;
  /** Declarations that changed before this time are in the index. */
  readonly polledAt: number;
  /** Whether the last attempt to write to the index failed. */
  readonly isFailing: boolean;
}

const COLUMNS = ['sequence', 'tag', 'polled_at', 'failing_since'] as const;

/** Another process has taken the lease. */
export class IndexLeaseLost extends Error {
  override readonly name = 'IndexLeaseLost';
}

export interface BooksOptions {
  readonly db: Db;
  readonly indexId: string;
  /** Whether no other process can open the index. Then its books need no lease. */
  readonly isExclusive: boolean;
}

export class IndexBooks {
  readonly #options: BooksOptions;
  readonly #lease = new Lease(LEASE_MS);
  #leasedUntil = 0;

  constructor(options: BooksOptions) {
    this.#options = options;
  }

  /** Takes or renews the lease. `undefined` while another process holds it. */
  async lease(now: number): Promise<Position | undefined> {
    const { db, indexId, isExclusive } = this.#options;
    const row = (await this.#held(now)) ?? (await this.#take(now));
    if (row !== undefined) {
      const { sequence, tag, polled_at: polledAt, failing_since } = row;
      const point = sequence === null ? undefined : { sequence, tag: tag ?? undefined };
      return { point, polledAt, isFailing: failing_since !== null };
    }
    const existing = await db
      .selectFrom('index_books')
      .select('index_id')
      .where('index_id', '=', indexId)
      .executeTakeFirst();
    if (existing !== undefined) return undefined;
    await db
      .insertInto('index_books')
      .values({ index_id: indexId, leased_until: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    if (isExclusive) await entries.adoptLocal(db, indexId);
    return this.lease(now);
  }

  /** Ends the lease, so that another process can continue at once. */
  async release(): Promise<void> {
    this.#leasedUntil = 0;
    await this.#update(this.#lease.released);
  }

  /**
   * Advances the position.
   *
   * @throws {IndexLeaseLost} also if an operator has requested to fill the index from the start
   */
  async advance(from: Position, to: Position, now: number): Promise<void> {
    const { sequence = null, tag = null } = to.point ?? {};
    await this.#hold(
      { sequence, tag, polled_at: to.polledAt, synced_at: now },
      now,
      from.point?.sequence ?? null,
    );
  }

  /** The index is to be filled from the start. @throws {IndexLeaseLost} */
  async restart(now: number): Promise<void> {
    await this.#hold({ sequence: null }, now);
  }

  /** Renews the lease during long work. @throws {IndexLeaseLost} */
  async renew(now: number): Promise<void> {
    await this.#hold({}, now);
  }

  /** The index can be written again. @throws {IndexLeaseLost} */
  async recovered(now: number): Promise<void> {
    await this.#hold({ synced_at: now, failing_since: null, error: null }, now);
  }

  async failed(since: number, error: string): Promise<void> {
    await this.#update({ failing_since: since, error });
  }

  /** The row, if more than half of the lease is left: an idle process writes little. */
  async #held(now: number) {
    if (this.#leasedUntil - now < LEASE_MS / 2) return undefined;
    const { db, indexId } = this.#options;
    return db
      .selectFrom('index_books')
      .select(COLUMNS)
      .where('index_id', '=', indexId)
      .where(this.#lease.isHeld())
      .executeTakeFirst();
  }

  async #take(now: number) {
    const { db, indexId, isExclusive } = this.#options;
    const update = db.updateTable('index_books').set(this.#lease.taken(now)).where('index_id', '=', indexId);
    const free = isExclusive ? update : update.where(this.#lease.isFree(now));
    const row = await free.returning(COLUMNS).executeTakeFirst();
    this.#leasedUntil = row === undefined ? 0 : now + LEASE_MS;
    return row;
  }

  /** @param sequence the position must be this one */
  async #hold(change: IndexBookUpdate, now: number, sequence?: number | null): Promise<void> {
    const isHeld = await this.#update({ ...change, ...this.#lease.taken(now) }, sequence);
    if (!isHeld) throw new IndexLeaseLost(this.#options.indexId);
    this.#leasedUntil = now + LEASE_MS;
  }

  async #update(change: IndexBookUpdate, sequence?: number | null): Promise<boolean> {
    const { db, indexId } = this.#options;
    let update = db
      .updateTable('index_books')
      .set(change)
      .where('index_id', '=', indexId)
      .where(this.#lease.isHeld());
    if (sequence !== undefined) {
      update = update.where('sequence', sequence === null ? 'is' : '=', sequence);
    }
    const { numUpdatedRows } = await update.executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}

/** Deletes the books of an index that no process will feed again. */
export async function forgetBooks(db: Db, where: { idPrefix: string; leasedBefore: number }): Promise<void> {
  const found = await db
    .selectFrom('index_books')
    .select('index_id')
    .where('index_id', 'like', `${where.idPrefix}%`)
    .where('leased_until', '<', where.leasedBefore)
    .execute();
  for (const { index_id } of found) {
    await db.deleteFrom('index_entries').where('index_id', '=', index_id).execute();
    await db.deleteFrom('index_books').where('index_id', '=', index_id).execute();
  }
}
