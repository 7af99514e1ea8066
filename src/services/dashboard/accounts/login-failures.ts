/**
 * Failed logins in a row, in the database, so that all processes of an installation agree: per user name for browsers that are
 * not known, and per known browser. Names that no account has are counted and locked alike: a lock does not reveal which
 * names exist.
 */
import { createHmac } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { clientKey } from '../../../platform/limits/throttle.js';
import type { Db, Tables } from '../../../storage/database/tables.js';

/** The failure that starts the first lock. */
export const LOCKING_FAILURE = 5;
const FIRST_LOCK_MS = 30_000;
const LOCK_MS_MAX = 60 * 60_000;
/** Failures are forgotten after this time without another one. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;
/** Enough that no two clients share a hash. */
const ORIGIN_DIGITS = 16;

export interface CountedAttempt {
  /** Failures in a row, if this attempt fails too. */
  readonly failures: number;
  /** Milliseconds until the next attempt is accepted, if this one fails. */
  readonly lockMs: number;
}

/** The lock after a number of failures in a row: 30 s, doubled by each further failure, at most an hour. */
function lockMs(failures: number): number {
  return failures < LOCKING_FAILURE
    ? 0
    : Math.min(FIRST_LOCK_MS * 2 ** (failures - LOCKING_FAILURE), LOCK_MS_MAX);
}

export class LoginFailures {
  readonly #db: Db;
  readonly #secret: string;

  /** @param secret key of the hashes of unknown names: one may be a password in the wrong field */
  constructor(db: Db, secret: string) {
    this.#db = db;
    this.#secret = secret;
  }

  /**
   * The key of the row that counts an attempt.
   *
   * @param browser number of the browser, if it is known
   */
  subject(name: string, isAccount: boolean, browser?: string): string {
    const username = name.toLowerCase();
    if (isAccount) return browser === undefined ? username : ofAccount(username, `browser ${browser}`);
    // No user name starts with a colon.
    return `:${createHmac('sha256', this.#secret).update(`login ${username}`).digest('hex')}`;
  }

  /** A keyed hash of a client's network: equal ones show that attempts came from the same one. */
  hashedOrigin(address: string): string {
    const hash = createHmac('sha256', this.#secret)
      .update(`origin ${clientKey(address)}`)
      .digest('hex');
    return `client ${hash.slice(0, ORIGIN_DIGITS)}`;
  }

  /**
   * Counts an attempt as a failure before its password is compared, so that parallel attempts can't exceed the limit.
   *
   * @returns the milliseconds to wait if the name is locked
   */
  begin(subject: string): Promise<CountedAttempt | { readonly waitMs: number }> {
    const now = Date.now();
    return this.#db.transaction().execute(async (transaction) => {
      await transaction
        .deleteFrom('login_failures')
        .where('failed_at', '<', now - FORGOTTEN_AFTER_MS)
        .returning('subject')
        .execute();
      const counted = await transaction
        .insertInto('login_failures')
        .values({ subject, failures: 1, locked_until: 0, failed_at: now })
        .onConflict((conflict) =>
          conflict
            .column('subject')
            .doUpdateSet({ failures: sql`login_failures.failures + 1`, failed_at: now })
            // A longer lock was set while a clock was ahead.
            .where(({ eb, or }) =>
              or([
                eb('login_failures.locked_until', '<=', now),
                eb('login_failures.locked_until', '>', now + LOCK_MS_MAX),
              ]),
            ),
        )
        .returning('failures')
        .executeTakeFirst();
      if (counted === undefined) return { waitMs: await this.#wait(transaction, subject, now) };
      const { failures } = counted;
      const attempt = { failures, lockMs: lockMs(failures) };
      if (attempt.lockMs > 0) {
        const locked_until = now + attempt.lockMs;
        await transaction
          .updateTable('login_failures')
          .set({ locked_until })
          .where('subject', '=', subject)
          .execute();
      }
      return attempt;
    });
  }

  async #wait(transaction: Transaction<Tables>, subject: string, now: number): Promise<number> {
    const { locked_until } = await transaction
      .selectFrom('login_failures')
      .select('locked_until')
      .where('subject', '=', subject)
      .executeTakeFirstOrThrow();
    return Math.max(1, locked_until - now);
  }
}

/** The key of a row of an account beside the one of its name. User names have no spaces. */
export function ofAccount(username: string, kind: string): string {
  return `${username} ${kind}`;
}

export interface Forgotten {
  readonly failures: number;
  readonly lockedUntil: number;
}

/** Ends one count after a success. Returns what was forgotten; `undefined` if nothing was. */
export async function forgetFailures(db: Db, subject: string): Promise<Forgotten | undefined> {
  const [row] = await forgetWhere(db, sql<SqlBool>`subject = ${subject}`);
  return row;
}

/** Ends all counts and locks of an account. Returns that of its name. */
export async function unlockAccount(db: Db, username: string): Promise<Forgotten | undefined> {
  const others = ofAccount(username, '');
  await forgetWhere(db, sql<SqlBool>`substr(subject, 1, ${sql.lit(others.length)}) = ${others}`);
  return forgetFailures(db, username);
}

async function forgetWhere(db: Db, condition: RawBuilder<SqlBool>): Promise<Forgotten[]> {
  const rows = await db
    .deleteFrom('login_failures')
    .where(condition)
    .returning(['failures', 'locked_until'])
    .execute();
  return rows.map(({ failures, locked_until }) => ({ failures, lockedUntil: locked_until }));
}
