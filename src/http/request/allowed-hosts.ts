/** Host name allow list. Links in responses contain the request's host name, so a forged one must be rejected. */
import type { RequestHeaders } from './head.js';

/** @param allowed host names in lower case without port; `undefined` allows all */
export function isAllowedHost(allowed: readonly string[] | undefined, headers: RequestHeaders): boolean {
  if (allowed === undefined) return true;
  const host = headers.get('host');
  return host !== undefined && allowed.includes(host.toLowerCase().replace(/:\d*$/, ''));
}
