/**
 * Ledger of one similarity index, in the database: how far it follows the change feed, which process feeds it, and whether
 * that works. A process feeds an index only while it holds the lease, so replicas do not feed one index twice.
 */
import type { Db, IndexLedgerUpdate } from '../../../storage/database/tables.js';
import type { Point } from '../../../storage/feed/history.js';
import { Lease } from '../../../storage/feed/lease.js';

/** Longer than any request to a search service, so that a lease outlives the request it was renewed for. */
const LEASE_MS = 20_000;

/** Where an index is in the change feed. */
export interface Position {
  /** The last applied change; `undefined` if the index has to be filled from the start. */
  readonly point: Point | undefined;
  /** Whether the last attempt to write to the index failed. */
  readonly isFailing: boolean;
}

const COLUMNS = ['sequence', 'tag', 'failing_since'] as const;

/** Another process has taken the lease. */
export class IndexLeaseLost extends Error {
  override readonly name = 'IndexLeaseLost';
}

export interface LedgerOptions {
  readonly db: Db;
  readonly indexId: string;
  /** Whether no other process can open the index. Then its ledger needs no lease. */
  readonly isExclusive: boolean;
}

export class IndexLedger {
  readonly #options: LedgerOptions;
  readonly #lease = new Lease(LEASE_MS);
  #leasedUntil = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Takes or renews the lease. `undefined` while another process holds it. */
  async lease(now: number): Promise<Position | undefined> {
    const { db, indexId } = this.#options;
    const row = (await this.#held(now)) ?? (await this.#take(now));
    if (row !== undefined) {
      const { sequence, tag, failing_since } = row;
      const point = sequence === null ? undefined : { sequence, tag: tag ?? undefined };
      return { point, isFailing: failing_since !== null };
    }
    const existing = await db
      .selectFrom('index_ledger')
      .select('index_id')
      .where('index_id', '=', indexId)
      .executeTakeFirst();
    if (existing !== undefined) return undefined;
    await db
      .insertInto('index_ledger')
      .values({ index_id: indexId, leased_until: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
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
  async advance(from: Point | undefined, to: Point, now: number): Promise<void> {
    const { sequence, tag = null } = to;
    await this.#hold({ sequence, tag, synced_at: now }, now, from?.sequence ?? null);
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
      .selectFrom('index_ledger')
      .select(COLUMNS)
      .where('index_id', '=', indexId)
      .where(this.#lease.isHeld())
      .executeTakeFirst();
  }

  async #take(now: number) {
    const { db, indexId, isExclusive } = this.#options;
    const update = db.updateTable('index_ledger').set(this.#lease.taken(now)).where('index_id', '=', indexId);
    const free = isExclusive ? update : update.where(this.#lease.isFree(now));
    const row = await free.returning(COLUMNS).executeTakeFirst();
    this.#leasedUntil = row === undefined ? 0 : now + LEASE_MS;
    return row;
  }

  /** @param sequence the position must be this one */
  async #hold(change: IndexLedgerUpdate, now: number, sequence?: number | null): Promise<void> {
    const isHeld = await this.#update({ ...change, ...this.#lease.taken(now) }, sequence);
    if (!isHeld) throw new IndexLeaseLost(this.#options.indexId);
    this.#leasedUntil = now + LEASE_MS;
  }

  async #update(change: IndexLedgerUpdate, sequence?: number | null): Promise<boolean> {
    const { db, indexId } = this.#options;
    let update = db
      .updateTable('index_ledger')
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

/** Deletes the ledger of an index that no process will feed again. */
export async function forgetLedger(db: Db, where: { idPrefix: string; leasedBefore: number }): Promise<void> {
  const found = await db
    .selectFrom('index_ledger')
    .select('index_id')
    .where('index_id', 'like', `${where.idPrefix}%`)
    .where('leased_until', '<', where.leasedBefore)
    .execute();
  for (const { index_id } of found) {
    await db.deleteFrom('index_entries').where('index_id', '=', index_id).execute();
    await db.deleteFrom('index_ledger').where('index_id', '=', index_id).execute();
  }
}
