/** Operators' accounts. Every change is entered in the audit log by its own transaction. */
import { sql, type Transaction } from 'kysely';
import { type Actor, type AuditEntry, recordAudit } from '../../../storage/database/audit.js';
import { commitDurably } from '../../../storage/database/commit.js';
import type { AccountRow, Db, Role, Tables } from '../../../storage/database/tables.js';
import { AdminRefusal } from '../errors.js';
import { unlockAccount } from './login-failures.js';
import { hashPassword, passwordFault, passwordMatches } from './passwords.js';
import { Sessions } from './sessions.js';

export interface Account {
  readonly key: number;
  readonly username: string;
  readonly role: Role;
  readonly isDisabled: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastLogin: number | undefined;
  /** End of the lock of its name after failed logins, which known browsers do not have; `undefined` if it is not locked. */
  readonly lockedUntil: number | undefined;
  readonly hasSecondFactor: boolean;
  /** Number of sessions that have not ended. */
  readonly sessions: number;
}

/** Stored in lower case; names are compared case-insensitively. */
const USERNAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

export class Accounts {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** @throws {AdminRefusal} if the name or password breaks a rule, or the name is taken */
  async add(name: string, password: string, role: Role, actor: Actor): Promise<void> {
    const username = name.toLowerCase();
    if (!USERNAME.test(username)) throw new AdminRefusal('USERNAME_INVALID');
    const password_hash = await newHash(password, username);
    await commitDurably(this.#db, async (transaction) => {
      const added = await transaction
        .insertInto('accounts')
        .values({ username, password_hash, role, disabled: 0, created_at: Date.now(), last_login: null })
        .onConflict((conflict) => conflict.column('username').doNothing())
        .returning('key')
        .executeTakeFirst();
      if (added === undefined) throw new AdminRefusal('USERNAME_TAKEN');
      await recordAudit(transaction, actor, [
        { action: 'account-added', subject: username, after: { role } },
      ]);
    });
  }

  /** Ends all sessions of the account. */
  async changePassword(name: string, password: string, actor: Actor): Promise<void> {
    const password_hash = await newHash(password, name.toLowerCase());
    await this.#change(name, actor, async (transaction, { key }) => {
      await transaction.updateTable('accounts').set({ password_hash }).where('key', '=', key).execute();
      await transaction.deleteFrom('sessions').where('account_key', '=', key).execute();
      return { action: 'account-password' };
    });
  }

  /** Disabling ends all sessions of the account and refuses its logins until it is enabled. */
  setDisabled(name: string, isDisabled: boolean, actor: Actor): Promise<void> {
    return this.#change(name, actor, async (transaction, { key, disabled }) => {
      await transaction
        .updateTable('accounts')
        .set({ disabled: isDisabled ? 1 : 0 })
        .where('key', '=', key)
        .execute();
      if (isDisabled) await transaction.deleteFrom('sessions').where('account_key', '=', key).execute();
      const action = isDisabled ? 'account-disabled' : 'account-enabled';
      return { action, before: { isDisabled: disabled === 1 }, after: { isDisabled } };
    });
  }

  /** Holds from the next request of the account's sessions. */
  setRole(name: string, role: Role, actor: Actor): Promise<void> {
    return this.#change(name, actor, async (transaction, { key, role: earlier }) => {
      await transaction.updateTable('accounts').set({ role }).where('key', '=', key).execute();
      return { action: 'account-role', before: { role: earlier }, after: { role } };
    });
  }

  /** Ends the locks after failed logins. */
  unlock(name: string, actor: Actor): Promise<void> {
    return this.#change(name, actor, async (transaction, { username }) => {
      return { action: 'account-unlocked', before: await unlockAccount(transaction, username) };
    });
  }

  /** For accounts whose owner has lost the device. */
  removeSecondFactor(name: string, actor: Actor): Promise<void> {
    return this.#change(name, actor, async (transaction, { key, totp_nonce }) => {
      if (totp_nonce === null) throw new AdminRefusal('FACTOR_MISSING');
      const none = { totp_nonce: null, totp_pending: null, totp_step: null };
      await transaction.updateTable('accounts').set(none).where('key', '=', key).execute();
      return { action: 'second-factor-removed' };
    });
  }

  endSessions(name: string, actor: Actor): Promise<void> {
    return this.#change(name, actor, async (transaction, { username }) => {
      return { action: 'sessions-ended', after: { ended: await new Sessions(transaction).endOf(username) } };
    });
  }

  async list(): Promise<Account[]> {
    const rows = await this.#db
      .selectFrom('accounts')
      .leftJoin('login_failures', 'login_failures.subject', 'accounts.username')
      .selectAll('accounts')
      .select(({ selectFrom }) => [
        'locked_until',
        selectFrom('sessions')
          .whereRef('account_key', '=', 'accounts.key')
          .where('expires_at', '>', Date.now())
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .as('sessions'),
      ])
      .orderBy('username')
      .execute();
    return rows.map((row) => account(row, row.locked_until ?? 0, Number(row.sessions)));
  }

  /** The account if it has this password, unless it is disabled. */
  async verify(row: AccountRow | undefined, password: string): Promise<AccountRow | undefined> {
    const enabled = row?.disabled === 0 ? row : undefined;
    const matches = await passwordMatches(enabled?.password_hash, password);
    return matches ? enabled : undefined;
  }

  find(name: string): Promise<AccountRow | undefined> {
    const username = name.toLowerCase();
    return this.#db.selectFrom('accounts').selectAll().where('username', '=', username).executeTakeFirst();
  }

  /** @throws {AdminRefusal} if no account has the name, or the actor is no longer an admin */
  async #change(
    name: string,
    actor: Actor,
    work: (transaction: Transaction<Tables>, row: AccountRow) => Promise<AuditEntry>,
  ): Promise<void> {
    await commitDurably(this.#db, async (transaction) => {
      const username = name.toLowerCase();
      const admin = actor.kind === 'account' ? actor.name : undefined;
      const rows = await lockedRows(transaction, admin === undefined ? [username] : [username, admin]);
      const row = rows.get(username);
      if (row === undefined) throw new AdminRefusal('USERNAME_UNKNOWN');
      if (admin !== undefined && !isAdmin(rows.get(admin))) throw new AdminRefusal('NO_LONGER_ADMIN');
      const entry = await work(transaction, row);
      await recordAudit(transaction, actor, [{ ...entry, subject: row.username }]);
    });
  }
}

/**
 * Accounts that no other transaction changes until this one ends: of two admins who disable each other, one stays. Locked
 * in one order, so that transactions can't wait for each other.
 */
async function lockedRows(
  transaction: Transaction<Tables>,
  names: readonly string[],
): Promise<ReadonlyMap<string, AccountRow>> {
  const rows = new Map<string, AccountRow>();
  for (const name of [...new Set(names)].sort()) {
    // An update, because the first statement of a transaction must be a write. It also locks the row.
    const row = await transaction
      .updateTable('accounts')
      .set({ disabled: sql`disabled` })
      .where('username', '=', name)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) rows.set(name, row);
  }
  return rows;
}

function isAdmin(row: AccountRow | undefined): boolean {
  return row?.role === 'admin' && row.disabled === 0;
}

/** @throws {AdminRefusal} if the password breaks a rule */
export async function newHash(password: string, username: string): Promise<string> {
  const fault = passwordFault(password, username);
  if (fault !== undefined) throw new AdminRefusal('PASSWORD_WEAK', { reason: fault });
  return hashPassword(password);
}

function account(row: AccountRow, lockedUntil: number, sessions: number): Account {
  return {
    key: row.key,
    username: row.username,
    role: row.role,
    isDisabled: row.disabled === 1,
    createdAt: row.created_at,
    lastLogin: row.last_login ?? undefined,
    lockedUntil: lockedUntil > Date.now() ? lockedUntil : undefined,
    hasSecondFactor: row.totp_nonce !== null,
    sessions,
  };
}
