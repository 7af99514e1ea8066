/** Upload tokens of publishers: created, listed and revoked by the command and the dashboard, checked by the API. */
import { createHash, randomBytes } from 'node:crypto';
import { type Actor, recordAudit } from '../../../storage/database/audit.js';
import type { Db, UploadTokenRow } from '../../../storage/database/tables.js';
import { lockFeed } from '../feed.js';

/** What a token allows: to store manifests, and to bind values to, list and delete those of its publisher. */
export const SCOPES = ['store:manifests', 'store:bindings', 'read:manifests', 'delete:manifests'] as const;

export type Scope = (typeof SCOPES)[number];

export interface UploadToken {
  readonly key: number;
  readonly publisher: string;
  readonly scopes: readonly Scope[];
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** A use at most a minute before the last one. */
  readonly usedAt: number | undefined;
}

export interface NewUploadToken {
  readonly publisher: string;
  /** Default: all. */
  readonly scopes?: readonly string[];
  readonly expiresAt?: number | undefined;
}

/** The request breaks a rule; the message is for the operator. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

/** Begins each token, so that secret scanners and the API recognise one. */
export const TOKEN_PREFIX = 'isccd_';
const SECRET_BYTES = 32;
/** During a rotation, the old and the new token are valid. */
const VALID_MAX = 2;
/** A use is noted at most once in this time. */
const USE_NOTED_MS = 60_000;
const PUBLISHER = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

export class UploadTokens {
  readonly #db: Db;
  readonly #now: () => number;

  constructor(db: Db, now: () => number = Date.now) {
    this.#db = db;
    this.#now = now;
  }

  /**
   * Creates a token. The returned text is shown once; the database has its hash.
   *
   * @throws {TokenRefused} if name, scopes or expiry break a rule, or the publisher has two valid tokens
   */
  async create(
    { publisher, scopes = SCOPES, expiresAt }: NewUploadToken,
    actor: Actor,
  ): Promise<UploadToken & { token: string }> {
    const created_at = this.#now();
    const name = publisher.toLowerCase();
    if (!PUBLISHER.test(name)) {
      throw new TokenRefused(
        `the publisher ${JSON.stringify(publisher)} must have 1 to 64 letters, digits and . _ @ -, and begin with a letter or digit`,
      );
    }
    if (expiresAt !== undefined && expiresAt <= created_at)
      throw new TokenRefused('the expiry must be in the future');
    const token = TOKEN_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
    const values = {
      publisher: name,
      token_hash: hashOf(token),
      scopes: checkedScopes(scopes).join(' '),
      created_at,
      expires_at: expiresAt ?? null,
      revoked_at: null,
      used_at: null,
    };
    const row = await this.#db.transaction().execute(async (transaction) => {
      // Two commands at the same time must not both find room for one more token.
      await lockFeed(transaction, 0);
      const known = await transaction
        .selectFrom('upload_tokens')
        .selectAll()
        .where('publisher', '=', name)
        .execute();
      if (known.filter((other) => isValid(other, created_at)).length >= VALID_MAX) {
        throw new TokenRefused(`${name} has ${VALID_MAX} valid tokens; revoke one of them first`);
      }
      const added = await transaction
        .insertInto('upload_tokens')
        .values(values)
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordAudit(transaction, actor, [
        { action: 'token-added', subject: name, after: audited(added) },
      ]);
      return added;
    });
    return { ...uploadToken(row), token };
  }

  /** All tokens, also revoked and expired ones, by publisher and age. */
  async list(): Promise<UploadToken[]> {
    const rows = await this.#db
      .selectFrom('upload_tokens')
      .selectAll()
      .orderBy('publisher')
      .orderBy('key')
      .execute();
    return rows.map(uploadToken);
  }

  /**
   * Makes a token invalid from now on. A second call changes nothing.
   *
   * @throws {TokenRefused} if no token has the key
   */
  async revoke(key: number, actor: Actor): Promise<UploadToken> {
    const found = await this.#db
      .selectFrom('upload_tokens')
      .selectAll()
      .where('key', '=', key)
      .executeTakeFirst();
    if (found === undefined) throw new TokenRefused(`no token has the number ${key}`);
    if (found.revoked_at !== null) return uploadToken(found);
    const revoked_at = this.#now();
    await this.#db.transaction().execute(async (transaction) => {
      await transaction.updateTable('upload_tokens').set({ revoked_at }).where('key', '=', key).execute();
      const entry = { action: 'token-revoked', subject: found.publisher, before: audited(found) } as const;
      await recordAudit(transaction, actor, [entry]);
    });
    return uploadToken({ ...found, revoked_at });
  }

  /** The valid token with this text; `undefined` for any other text. */
  async verify(text: string): Promise<UploadToken | undefined> {
    if (!text.startsWith(TOKEN_PREFIX)) return undefined;
    // The hash of 32 random bytes needs no salt, and a lookup by it reveals nothing by its duration.
    const row = await this.#db
      .selectFrom('upload_tokens')
      .selectAll()
      .where('token_hash', '=', hashOf(text))
      .executeTakeFirst();
    const now = this.#now();
    if (row === undefined || !isValid(row, now)) return undefined;
    // A use that lies ahead was noted by a wrong clock.
    if (Math.abs(now - (row.used_at ?? 0)) > USE_NOTED_MS) {
      await this.#db.updateTable('upload_tokens').set({ used_at: now }).where('key', '=', row.key).execute();
    }
    return uploadToken(row);
  }
}

function checkedScopes(scopes: readonly string[]): Scope[] {
  const known = SCOPES.filter((scope) => scopes.includes(scope));
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined)
    throw new TokenRefused(`the scope ${JSON.stringify(unknown)} must be one of ${SCOPES.join(', ')}`);
  if (known.length === 0) throw new TokenRefused(`a token must have a scope: ${SCOPES.join(', ')}`);
  return known;
}

function isValid({ revoked_at, expires_at }: UploadTokenRow, now: number): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now);
}

function audited({ key, scopes, expires_at }: UploadTokenRow): object {
  return { token: key, scopes, expiresAt: expires_at };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function uploadToken(row: UploadTokenRow): UploadToken {
  return {
    key: row.key,
    publisher: row.publisher,
    scopes: SCOPES.filter((scope) => row.scopes.split(' ').includes(scope)),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    usedAt: row.used_at ?? undefined,
  };
}
