/**
 * Counts failed logins, one row per account and day: anybody can fail, and entries of the audit log are never removed. A
 * row becomes an entry of the audit log at the first login or failure after its day.
 */
import { sql, type Transaction } from 'kysely';
import { recordAudit } from '../../../storage/database/audit.js';
import type { Db, FailedLoginRow, Tables } from '../../../storage/database/tables.js';
import { DAY_MS } from '../schema.js';

export interface FailedLogin {
  /** `undefined`: no account has the name. */
  readonly account: string | undefined;
  /** The attempt was refused because of a lock. */
  readonly isRefused: boolean;
  /** Keyed hash of the client's network. */
  readonly origin: string;
}

export async function countFailedLogin(
  db: Db,
  { account = '', isRefused, origin }: FailedLogin,
): Promise<void> {
  const at = Date.now();
  const [failures, refused] = isRefused ? [0, 1] : [1, 0];
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('failed_logins')
      .values({ day: startOfDay(at), account, failures, refused, first_at: at, last_at: at, origin })
      .onConflict((conflict) =>
        conflict.columns(['day', 'account']).doUpdateSet({
          failures: sql`failed_logins.failures + ${failures}`,
          refused: sql`failed_logins.refused + ${refused}`,
          last_at: at,
          origin,
        }),
      )
      .execute();
    await auditEndedDays(transaction);
  });
}

/** Moves the counts of days before today to the audit log. */
export async function auditEndedDays(transaction: Transaction<Tables>): Promise<void> {
  const ended = await transaction
    .deleteFrom('failed_logins')
    .where('day', '<', startOfDay(Date.now()))
    .returningAll()
    .execute();
  ended.sort((a, b) => a.day - b.day || (a.account < b.account ? -1 : 1));
  for (const { account, failures, refused, first_at: from, last_at: to, origin } of ended) {
    const subject = account === '' ? undefined : account;
    const actor = { kind: 'account', name: subject, origin: origin ?? undefined } as const;
    await recordAudit(transaction, actor, [
      { action: 'login-failed', subject, after: { failures, refused, from, to } },
    ]);
  }
}

/** The counts that are not yet in the audit log, the last failure first. */
export function openFailedLogins(db: Db): Promise<FailedLoginRow[]> {
  return db.selectFrom('failed_logins').selectAll().orderBy('last_at', 'desc').execute();
}

function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}
