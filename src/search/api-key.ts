/** The one secret of the service. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { SearchRefusal } from './errors.js';

/**
 * A check of `X-API-Key`. Digests are compared, in constant time: their length says nothing, and neither does
 * the time.
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
