/** Host name allow list. Links in responses contain the host name of {@link requestHost}, so a forged one is rejected. */
import { isIP } from 'node:net';
import { requestHost } from './client-address.js';
import type { RequestHeaders } from './head.js';

/**
 * Host names in lower case without port. `local`: IP addresses and the names that only a network of one's own has, such
 * as those of containers; names of the public DNS are refused. `undefined` allows all.
 */
export type AllowedHosts = readonly string[] | 'local' | undefined;

/** Message of the refusal. */
export const HOST_INVALID = 'Invalid Host';

/** The named hosts and this machine. */
export function namedHosts(names: readonly string[]): readonly string[] {
  return [...names, 'localhost', '127.0.0.1', '[::1]'];
}

/** @param proxies number of trusted proxies in front */
export function isAllowedHost(allowed: AllowedHosts, headers: RequestHeaders, proxies = 0): boolean {
  if (allowed === undefined) return true;
  const host = requestHost(headers, proxies)?.toLowerCase().replace(/:\d*$/, '');
  if (allowed === 'local') return host === undefined || isLocal(host);
  return host !== undefined && allowed.includes(host);
}

function isLocal(host: string): boolean {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return /^[\w-]+$/.test(host) || /\.(?:localhost|local|internal)$/.test(host);
}
