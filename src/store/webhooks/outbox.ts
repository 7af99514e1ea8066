/** Events that wait for their delivery, and the lease of the one process that sends them. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../database/open.js';
import type { WebhookEventRow } from '../../database/tables.js';

export class Outbox {
  readonly #db: Db;
  readonly #leaseMs: number;
  readonly #leader = randomUUID();

  /** @param leaseMs longer than any delivery */
  constructor(db: Db, leaseMs: number) {
    this.#db = db;
    this.#leaseMs = leaseMs;
  }

  /** Due events, oldest first. */
  due(now: number, limit: number): Promise<WebhookEventRow[]> {
    return this.#db
      .selectFrom('webhook_events')
      .selectAll()
      .where('next_at', '<=', now)
      .orderBy('key')
      .limit(limit)
      .execute();
  }

  /** Takes or renews the lease. Returns `false` while another process holds it. */
  async lease(now: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('webhook_sender')
      .set({ leader: this.#leader, leased_until: now + this.#leaseMs })
      .where((where) => where.or([where('leader', '=', this.#leader), where('leased_until', '<', now)]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Ends the lease, so that another process can send at once. */
  async release(): Promise<void> {
    await this.#db
      .updateTable('webhook_sender')
      .set({ leader: null, leased_until: 0 })
      .where('leader', '=', this.#leader)
      .execute();
  }

  /** Removes a delivered event, or one that is given up. */
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

  async waiting(): Promise<number> {
    const { events } = await this.#db
      .selectFrom('webhook_events')
      .select(({ fn }) => fn.countAll<number | string>().as('events'))
      .executeTakeFirstOrThrow();
    return Number(events);
  }
}
