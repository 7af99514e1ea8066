/** Events that wait for their delivery to one receiver, and the lease of the one process that sends them. */
import { sql } from 'kysely';
import { CLOCK_SKEW_MS, Lease } from '../feed/lease.js';
import type { OutboxDb, WebhookEventRow } from './tables.js';

/** Pause after the first failed attempt; each further one is twice as long. */
export const PAUSE_MS_MIN = 5_000;
/** Number of pauses until they no longer grow. */
export const PAUSE_DOUBLINGS = 10;

export class Outbox {
  readonly #db: OutboxDb;
  readonly #webhook: number;
  readonly #lease: Lease;

  /**
   * @param webhook key of the receiver
   * @param leaseMs longer than any delivery
   */
  constructor(db: OutboxDb, webhook: number, leaseMs: number) {
    this.#db = db;
    this.#webhook = webhook;
    this.#lease = new Lease(leaseMs);
  }

  /** Due events, oldest first. */
  due(now: number, limit: number): Promise<WebhookEventRow[]> {
    // Longer than the pause that the event is in.
    const doublings = sql`case when attempts < ${PAUSE_DOUBLINGS} then attempts else ${PAUSE_DOUBLINGS} end`;
    const ahead = sql<number>`cast(${now + CLOCK_SKEW_MS} as bigint)`;
    const latest = sql<number>`${ahead} + ${2 * PAUSE_MS_MIN} * (1 << ${doublings})`;
    return this.#db
      .selectFrom('webhook_events')
      .selectAll()
      .where('webhook', '=', this.#webhook)
      .where((where) =>
        where.or([
          where('next_at', '<=', now),
          // The first condition has an index.
          where.and([where('next_at', '>', ahead), where('next_at', '>', latest)]),
        ]),
      )
      .orderBy('key')
      .limit(limit)
      .execute();
  }

  /** Takes or renews the lease. Returns `false` while another process holds it, or if the receiver was removed. */
  async lease(now: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('webhooks')
      .set(this.#lease.taken(now))
      .where('key', '=', this.#webhook)
      .where('disabled_at', 'is', null)
      .where(this.#lease.isFree(now))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Ends the lease, so that another process can send at once. */
  async release(): Promise<void> {
    await this.#db
      .updateTable('webhooks')
      .set(this.#lease.released)
      .where('key', '=', this.#webhook)
      .where(this.#lease.isHeld())
      .execute();
  }

  async delivered(key: number, now: number): Promise<void> {
    await this.remove(key);
    await this.#db
      .updateTable('webhooks')
      .set({ delivered: sql`delivered + 1`, delivered_at: now })
      .where('key', '=', this.#webhook)
      .execute();
  }

  /** Notes a failed attempt. */
  async failed(now: number, error: string): Promise<void> {
    await this.#db
      .updateTable('webhooks')
      .set({ failed: sql`failed + 1`, failed_at: now, error })
      .where('key', '=', this.#webhook)
      .execute();
  }

  /** Removes an event that was delivered, or is given up. */
  async remove(key: number): Promise<void> {
    await this.#db.deleteFrom('webhook_events').where('key', '=', key).execute();
  }

  async postpone(key: number, nextAt: number, error: string): Promise<void> {
    await this.#db
      .updateTable('webhook_events')
      .set({ attempts: sql`attempts + 1`, next_at: nextAt, error })
      .where('key', '=', key)
      .execute();
  }
}
