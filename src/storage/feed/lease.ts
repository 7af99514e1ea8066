/**
 * Leases in a database: one process at a time works on a row. Their ends come from the clocks of several processes, and from
 * one clock before and after it was set right.
 */
import { randomUUID } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Clocks differ by less. A time that lies further ahead than it can was written while a clock was ahead, and is over. */
export const CLOCK_SKEW_MS = 60_000;

/** Latest end of a lease, or of a session, that counts. One with a later end counts as over. */
export function leaseEndMax(now: number, leaseMs: number): number {
  return now + leaseMs + CLOCK_SKEW_MS;
}

/** Condition of rows whose lease is over, or that have none. */
export function isLeaseOver(now: number, leaseMs: number): RawBuilder<SqlBool> {
  return sql`(leased_until is null or leased_until < ${now} or leased_until > ${leaseEndMax(now, leaseMs)})`;
}

/** Leases of this process, in a table with the columns `leader` and `leased_until`. */
export class Lease {
  readonly #leader = randomUUID();
  readonly #ms: number;

  /** @param ms longer than any work between two renewals */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Columns of a row that this process takes, or whose lease it renews. */
  taken(now: number): { leader: string; leased_until: number } {
    return { leader: this.#leader, leased_until: now + this.#ms };
  }

  /** Columns of a row that another process can take at once. */
  readonly released = { leader: null, leased_until: 0 };

  /** Condition of rows that this process can take. */
  isFree(now: number): RawBuilder<SqlBool> {
    return sql`(leader is null or ${this.isHeld()} or ${isLeaseOver(now, this.#ms)})`;
  }

  /** Condition of rows that this process has taken, and no other one since. */
  isHeld(): RawBuilder<SqlBool> {
    return sql`leader = ${this.#leader}`;
  }
}
