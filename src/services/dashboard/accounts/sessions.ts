/** Login sessions. The browser has a random token, the database only its hash. */
import { createHash, randomBytes } from 'node:crypto';
import type { Db, Role } from '../../../storage/database/tables.js';
import { leaseEndMax } from '../../../storage/feed/lease.js';

export const SESSION_SECONDS = 12 * 3600;
const TOKEN_BYTES = 32;
const BROWSER_CHARACTERS_MAX = 300;

export interface Session {
  readonly tokenHash: string;
  readonly username: string;
  readonly role: Role;
  /** CSRF token in the session's forms. */
  readonly csrf: string;
  /** Message to show once, on the next page. */
  readonly flash: Flash | undefined;
}

/** The browser that logs in. */
export interface Client {
  /** Its address. */
  readonly origin: string;
  /** Its `User-Agent`. */
  readonly browser?: string | undefined;
}

/** A session as its account sees it. */
export interface OpenSession {
  readonly tokenHash: string;
  readonly origin: string | undefined;
  readonly browser: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A message about an action. */
export interface Flash {
  readonly text: string;
  /** Nothing was done. */
  readonly isError: boolean;
}

/** Marks errors in the database; results of actions never start with it. */
const ERROR_MARK = '!';

export class Sessions {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Starts a session and returns its token. Also deletes expired sessions. */
  async begin(accountKey: number, client?: Client): Promise<string> {
    const now = Date.now();
    const token = randomToken();
    await this.#db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
    await this.#db
      .insertInto('sessions')
      .values({
        token_hash: hashOf(token),
        account_key: accountKey,
        csrf: randomToken(),
        created_at: now,
        expires_at: now + SESSION_SECONDS * 1000,
        flash: null,
        origin: client?.origin ?? null,
        browser: client?.browser?.slice(0, BROWSER_CHARACTERS_MAX) ?? null,
      })
      .execute();
    return token;
  }

  /** The session of a token, if it has not expired and its account is not disabled. */
  async find(token: string | undefined): Promise<Session | undefined> {
    if (token === undefined) return undefined;
    const now = Date.now();
    const row = await this.#db
      .selectFrom('sessions')
      .innerJoin('accounts', 'accounts.key', 'sessions.account_key')
      .select(['token_hash', 'username', 'role', 'csrf', 'flash'])
      .where('token_hash', '=', hashOf(token))
      .where('expires_at', '>', now)
      // A later end was set while a clock was ahead.
      .where('expires_at', '<=', leaseEndMax(now, SESSION_SECONDS * 1000))
      .where('disabled', '=', 0)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { token_hash: tokenHash, username, role, csrf } = row;
    return { tokenHash, username, role, csrf, flash: parseFlash(row.flash) };
  }

  async end(token: string | undefined): Promise<void> {
    if (token === undefined) return;
    await this.#db.deleteFrom('sessions').where('token_hash', '=', hashOf(token)).execute();
  }

  /** The sessions of an account that have not expired, the newest first. */
  async list(username: string): Promise<OpenSession[]> {
    const rows = await this.#db
      .selectFrom('sessions')
      .innerJoin('accounts', 'accounts.key', 'sessions.account_key')
      .selectAll('sessions')
      .where('username', '=', username)
      .where('expires_at', '>', Date.now())
      .orderBy('sessions.created_at', 'desc')
      .execute();
    return rows.map((row) => ({
      tokenHash: row.token_hash,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      origin: row.origin ?? undefined,
      browser: row.browser ?? undefined,
    }));
  }

  /**
   * Ends sessions of an account: one, or all but one, or all.
   *
   * @returns their number
   */
  async endOf(
    username: string,
    which: { readonly only?: string; readonly but?: string } = {},
  ): Promise<number> {
    let query = this.#db
      .deleteFrom('sessions')
      .where('account_key', 'in', (accounts) =>
        accounts.selectFrom('accounts').select('key').where('username', '=', username),
      );
    if (which.only !== undefined) query = query.where('token_hash', '=', which.only);
    if (which.but !== undefined) query = query.where('token_hash', '!=', which.but);
    return (await query.returning('token_hash').execute()).length;
  }

  /** Sets or clears the message for the session's next page. */
  async setFlash({ tokenHash }: Session, message: Flash | undefined): Promise<void> {
    const flash = message === undefined ? null : (message.isError ? ERROR_MARK : '') + message.text;
    await this.#db.updateTable('sessions').set({ flash }).where('token_hash', '=', tokenHash).execute();
  }
}

function parseFlash(stored: string | null): Flash | undefined {
  if (stored === null) return undefined;
  const isError = stored.startsWith(ERROR_MARK);
  return { text: isError ? stored.slice(ERROR_MARK.length) : stored, isError };
}

/** 256 random bits in base64url. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
