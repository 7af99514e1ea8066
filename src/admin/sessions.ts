/** Login sessions. The browser has a random token, the database only its hash. */
import { createHash, randomBytes } from 'node:crypto';
import { leaseEndMax } from '../database/lease.js';
import type { Db } from '../database/open.js';
import type { Role } from '../database/tables.js';

export const SESSION_SECONDS = 12 * 3600;
const TOKEN_BYTES = 32;

export interface Session {
  readonly tokenHash: string;
  readonly username: string;
  readonly role: Role;
  /** CSRF token in the session's forms. */
  readonly csrf: string;
  /** Message to show once, on the next page. */
  readonly flash: Flash | undefined;
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
  async begin(accountKey: number): Promise<string> {
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
