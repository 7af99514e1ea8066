/** Forms of other sites: a posted form has to come from a page of ours. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from '../http/routing/route.js';
import { AdminRefusal } from './errors.js';

/**
 * Both have to hold: the form carries the token that its page was given, and the browser names no other site.
 *
 * @param expected the token of the session, or of the login page's cookie
 * @throws {AdminRefusal} CSRF
 */
export function checkForm(request: Request, given: string, expected: string | undefined): void {
  if (expected === undefined || !equal(given, expected) || !isOwnOrigin(request))
    throw new AdminRefusal('CSRF');
}

/** In constant time, whatever the lengths. */
function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Browsers send Origin with every posted form, programs need not. Only the host counts: behind a proxy that ends
 * TLS and is not configured, the scheme seen here is not the browser's.
 */
function isOwnOrigin(request: Request): boolean {
  const origin = request.header('origin') ?? request.header('referer');
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(request.origin).host;
}
