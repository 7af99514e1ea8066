/** CSRF protection: a posted form must come from a page of this site. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from '../../http/routing/route.js';
import { AdminRefusal } from './errors.js';

/**
 * Requires the token that the form's page contained, and an origin that is this site or absent.
 *
 * @param expected token of the session, or of the login page's cookie
 * @throws {AdminRefusal} CSRF or FOREIGN_ORIGIN
 */
export function checkForm(request: Request, given: string, expected: string | undefined): void {
  if (expected === undefined || !equal(given, expected)) throw new AdminRefusal('CSRF');
  // Browsers send `Origin` with every posted form; programs need not.
  const origin = request.header('origin') ?? request.header('referer');
  if (origin === undefined || isOwnSite(request, origin)) return;
  throw new AdminRefusal('FOREIGN_ORIGIN', { origin: shown(origin), host: hostOf(request.origin) ?? '' });
}

/** Compares in constant time, independent of the lengths. */
export function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Whether an address is on the host of the request. The scheme is not compared, and the default ports of http and https
 * equal no port: behind a TLS proxy that is not trusted, the scheme seen here differs from the browser's, and some proxies
 * send `Host` with the port.
 */
export function isOwnSite(request: Request, address: string): boolean {
  const host = hostOf(address);
  return host !== undefined && withoutDefaultPort(host) === withoutDefaultPort(hostOf(request.origin) ?? '');
}

/** `undefined` if the address is invalid: a client can send `Host: localhost:99999`. */
function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

function withoutDefaultPort(host: string): string {
  return host.replace(/:(?:80|443)$/, '');
}

/** An address for a message: without path, and short. */
function shown(address: string): string {
  return URL.canParse(address) ? new URL(address).origin.slice(0, 300) : 'another site';
}
