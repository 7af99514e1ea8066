/** CSRF protection: a posted form must come from a page of this site. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from '../http/routing/route.js';
import { AdminRefusal } from './errors.js';

/**
 * Requires the token that the form's page contained, and an origin that is this site or absent.
 *
 * @param expected token of the session, or of the login page's cookie
 * @throws {AdminRefusal} CSRF
 */
export function checkForm(request: Request, given: string, expected: string | undefined): void {
  if (expected === undefined || !equal(given, expected) || !isOwnOrigin(request))
    throw new AdminRefusal('CSRF');
}

/** Compares in constant time, independent of the lengths. */
export function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Browsers send `Origin` with every posted form; programs need not. Only the host is compared: behind a TLS proxy that
 * is not configured, the scheme seen here differs from the browser's.
 */
function isOwnOrigin(request: Request): boolean {
  const origin = request.header('origin') ?? request.header('referer');
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(request.origin).host;
}
