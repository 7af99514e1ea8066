/** Host name allow list. Links in responses contain the request's host name, so a forged one must be rejected. */
import { isIP } from 'node:net';
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

export function isAllowedHost(allowed: AllowedHosts, headers: RequestHeaders): boolean {
  if (allowed === undefined) return true;
  const host = headers.get('host')?.toLowerCase().replace(/:\d*$/, '');
  if (allowed === 'local') return host === undefined || isLocal(host);
  return host !== undefined && allowed.includes(host);
}

function isLocal(host: string): boolean {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return /^[\w-]+$/.test(host) || /\.(?:localhost|local|internal)$/.test(host);
}
