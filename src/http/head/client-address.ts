/** The client's address, and the service's address as the client sees it, behind any number of proxies. */
import { canonicalAddress } from '../../platform/ip-address.js';
import type { RequestHeaders } from './head.js';

/**
 * The client's IP address. Each proxy appends its peer's address to X-Forwarded-For, so with N trusted proxies the
 * N-th entry from the right is the client. Entries further left are the client's own claim and not trusted.
 *
 * @param peer address of the connection's other end
 * @param proxies number of trusted proxies in front; 0 ignores the header
 */
export function clientAddress(peer: string, headers: RequestHeaders, proxies: number): string {
  const entry = fromRight(headers.get('x-forwarded-for'), proxies);
  return canonicalAddress(entry) ?? canonicalAddress(peer) ?? peer;
}

/**
 * Scheme and host as the client sees them, without a trailing slash.
 *
 * @param fallbackHost for HTTP/1.0 requests without Host
 */
export function requestOrigin(headers: RequestHeaders, proxies: number, fallbackHost: string): string {
  const scheme =
    fromRight(headers.get('x-forwarded-proto'), proxies)?.toLowerCase() === 'https' ? 'https' : 'http';
  return `${scheme}://${requestHost(headers, proxies) ?? fallbackHost}`;
}

/** Host as the client sees it: that of the proxies, otherwise that of the request. */
export function requestHost(headers: RequestHeaders, proxies: number): string | undefined {
  const forwarded = fromRight(headers.get('x-forwarded-host'), proxies);
  return forwarded !== undefined && isPlainHost(forwarded) ? forwarded : headers.get('host');
}

/** The entry that the outermost trusted proxy added; the leftmost entry if the list is shorter. */
function fromRight(list: string | undefined, proxies: number): string | undefined {
  if (list === undefined || proxies === 0) return undefined;
  const entries = list.split(',');
  return entries[Math.max(0, entries.length - proxies)]?.trim();
}

function isPlainHost(host: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
}
