/** Checks the API key. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { SearchRefusal } from './errors.js';

/**
 * A check of `X-API-Key` that throws {@link SearchRefusal}. It compares digests in constant time, so that neither the
 * length nor the timing reveals the secret.
 */
export function apiKeyGuard(secret: string): (key: string | undefined) => void {
  const expected = digest(secret);
  return (key) => {
    if (key === undefined || !timingSafeEqual(digest(key), expected)) throw new SearchRefusal('UNAUTHORIZED');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
