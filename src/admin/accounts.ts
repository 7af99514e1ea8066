/** Operators' accounts. The command line creates them, the dashboard only reads them. */
import type { Db } from '../database/open.js';
import type { AccountRow } from '../database/tables.js';
import { AdminRefusal } from './errors.js';
import { hashPassword, passwordFault, passwordMatches } from './passwords.js';

export interface Account {
  readonly key: number;
  readonly username: string;
  readonly canDelete: boolean;
  readonly isDisabled: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastLogin: number | undefined;
}

/** Result of a login. */
export type Login =
  | { readonly account: Account }
  | {
      readonly account: undefined;
      /** Name of the account, if it exists: for the log. An unknown name may be a password in the wrong field. */
      readonly existing: string | undefined;
    };

/** Stored in lower case; names are compared case-insensitively. */
const USERNAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

export class Accounts {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** @throws {AdminRefusal} if the name or password breaks a rule, or the name is taken */
  async add(name: string, password: string, canDelete: boolean): Promise<void> {
    const username = name.toLowerCase();
    if (!USERNAME.test(username)) throw new AdminRefusal('USERNAME_INVALID');
    const password_hash = await newHash(password, username);
    const added = await this.#db
      .insertInto('accounts')
      .values({
        username,
        password_hash,
        can_delete: canDelete ? 1 : 0,
        disabled: 0,
        created_at: Date.now(),
        last_login: null,
      })
      .onConflict((conflict) => conflict.column('username').doNothing())
      .executeTakeFirst();
    if (Number(added.numInsertedOrUpdatedRows ?? 0) === 0) throw new AdminRefusal('USERNAME_TAKEN');
  }

  /** Ends all sessions of the account. */
  async changePassword(name: string, password: string): Promise<void> {
    const { key, username } = await this.#existing(name);
    const password_hash = await newHash(password, username);
    await this.#db.updateTable('accounts').set({ password_hash }).where('key', '=', key).execute();
    await this.#db.deleteFrom('sessions').where('account_key', '=', key).execute();
  }

  /** Disabling ends all sessions of the account and refuses its logins until it is enabled. */
  async setDisabled(name: string, isDisabled: boolean): Promise<void> {
    const { key } = await this.#existing(name);
    await this.#db
      .updateTable('accounts')
      .set({ disabled: isDisabled ? 1 : 0 })
      .where('key', '=', key)
      .execute();
    if (isDisabled) await this.#db.deleteFrom('sessions').where('account_key', '=', key).execute();
  }

  async list(): Promise<Account[]> {
    const rows = await this.#db.selectFrom('accounts').selectAll().orderBy('username').execute();
    return rows.map(account);
  }

  /** The account with this name and password. A refusal has one form for every reason. */
  async verify(name: string, password: string): Promise<Login> {
    const row = await this.#find(name);
    const enabled = row?.disabled === 0 ? row : undefined;
    const matches = await passwordMatches(enabled?.password_hash, password);
    if (!matches || enabled === undefined) return { account: undefined, existing: row?.username };
    await this.#db
      .updateTable('accounts')
      .set({ last_login: Date.now() })
      .where('key', '=', enabled.key)
      .execute();
    return { account: account(enabled) };
  }

  #find(name: string): Promise<AccountRow | undefined> {
    const username = name.toLowerCase();
    return this.#db.selectFrom('accounts').selectAll().where('username', '=', username).executeTakeFirst();
  }

  async #existing(name: string): Promise<AccountRow> {
    const row = await this.#find(name);
    if (row === undefined) throw new AdminRefusal('USERNAME_UNKNOWN');
    return row;
  }
}

async function newHash(password: string, username: string): Promise<string> {
  const fault = passwordFault(password, username);
  if (fault !== undefined) throw new AdminRefusal('PASSWORD_WEAK', { reason: fault });
  return hashPassword(password);
}

function account(row: AccountRow): Account {
  return {
    key: row.key,
    username: row.username,
    canDelete: row.can_delete === 1,
    isDisabled: row.disabled === 1,
    createdAt: row.created_at,
    lastLogin: row.last_login ?? undefined,
  };
}
