/** Upload tokens for the dashboard. */
import type { Refused, TokenActions } from '../services/dashboard/port.js';
import { SCOPES, TokenRefused, UploadTokens } from '../services/store/tokens/upload-tokens.js';
import type { Db } from '../storage/database/tables.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export function tokenActions(db: Db): TokenActions {
  const tokens = new UploadTokens(db);
  return {
    scopes: SCOPES,
    list: () => tokens.list(),
    create: ({ publisher, scopes, days }, actor) => {
      const expiresAt = days === undefined ? undefined : Date.now() + days * DAY_MS;
      return orRefused(tokens.create({ publisher, scopes, expiresAt }, actor));
    },
    revoke: (key, actor) => orRefused(tokens.revoke(key, actor)),
  };
}

async function orRefused<T>(change: Promise<T>): Promise<T | Refused> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof TokenRefused) return { refused: error.message };
    throw error;
  }
}
