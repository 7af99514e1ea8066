/** Connects only to public addresses, whatever host name or literal a URL contains. */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector } from 'undici';
import { bareHost, type ProxyRule, portOf } from './proxy.js';
import { isPublicAddress } from './public-address.js';
import { openTunnel, overTunnel } from './tunnel.js';

/** For DNS queries by c-ares, which do not block libuv's thread pool as `dns.lookup` does. */
const DNS_TIMEOUT_MS = 1000;
const DNS_TRIES = 2;

/** The IP address of the server is not public. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}

export interface ConnectOptions {
  /** Addresses that need not be public, `host` or `host:port`; for tests. */
  readonly allowed: ReadonlySet<string>;
  readonly timeoutMs: number;
  /** Default: the system's DNS servers. */
  readonly dnsServers?: readonly string[];
  /** Certificate authorities in PEM. Default: Node's. */
  readonly ca?: string;
}

/**
 * A connector for undici; fails with {@link AddressRefused}. TLS and `Host` keep using the host name. A proxy gets the address
 * that was checked, unless it resolves names itself.
 */
export function publicConnector(options: ConnectOptions, rule: ProxyRule): buildConnector.connector {
  const { allowed, timeoutMs, ca } = options;
  const resolver = dnsResolver(options);
  const build = (mayConnect: (address: string) => boolean) =>
    buildConnector({
      timeout: timeoutMs,
      ...(ca === undefined ? {} : { ca }),
      lookup: checkedLookup(resolver, mayConnect),
    });
  const connectToPublic = build(isPublicAddress);
  return (target, callback) => {
    const mayConnect = (address: string) =>
      isPublicAddress(address) || isAllowed(allowed, address, portOf(target));
    const connect = allowed.size === 0 ? connectToPublic : build(mayConnect);
    const host = bareHost(target.hostname);
    const proxy = rule.proxyOf(target);
    // Node does not call `lookup` for IP literals.
    if (isIP(host) !== 0 && !mayConnect(host)) callback(new AddressRefused(host), null);
    else if (proxy === undefined) connect(target, callback);
    else {
      const addresses = rule.resolves ? namedAddress(host) : checkedAddresses(resolver, host, mayConnect);
      overTunnel(connect, target, openFirst(proxy, addresses, portOf(target), timeoutMs), callback);
    }
  };
}

/** Whether a name means this machine everywhere (RFC 6761). */
export function isLocalName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(host);
}

/** The name itself, for a proxy that resolves it. */
async function namedAddress(host: string): Promise<readonly string[]> {
  if (isLocalName(host)) throw new AddressRefused(host);
  return [host];
}

/** A tunnel to the first address to which the proxy opens one. Rejects like the last attempt. */
async function openFirst(
  proxy: URL,
  addresses: Promise<readonly string[]>,
  port: string,
  timeoutMs: number,
): Promise<Duplex> {
  const endMs = performance.now() + timeoutMs;
  const left = [...(await addresses)];
  for (;;) {
    const host = left.shift() ?? '';
    const restMs = Math.max(1, Math.ceil(endMs - performance.now()));
    try {
      return await openTunnel(proxy, { host, port }, restMs);
    } catch (error) {
      if (left.length === 0 || performance.now() >= endMs) throw error;
    }
  }
}

/** Whether a list contains a host, or the host with this port. IPv6 addresses have brackets before a port. */
export function isAllowed(allowed: ReadonlySet<string>, host: string, port: string): boolean {
  if (allowed.has(host)) return true;
  return allowed.has(`${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
}

function dnsResolver({ dnsServers }: ConnectOptions): Resolver {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (dnsServers !== undefined) resolver.setServers(dnsServers);
  return resolver;
}

function checkedLookup(resolver: Resolver, mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    checkedAddresses(resolver, hostname, mayConnect).then(
      (checked) => {
        const addresses = checked.map((address) => ({ address, family: isIP(address) }));
        const [first] = addresses;
        if (all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** The addresses of a name, or an address itself. @throws {AddressRefused} unless all are allowed */
async function checkedAddresses(
  resolver: Resolver,
  host: string,
  mayConnect: (address: string) => boolean,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const addresses = await addressesOf(resolver, host);
  const refused = addresses.find((address) => !mayConnect(address));
  if (refused !== undefined) throw new AddressRefused(refused);
  return addresses;
}

/** At least one address, IPv4 first; rejects if the name has none. */
async function addressesOf(resolver: Resolver, hostname: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [v4, v6].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (found.length > 0) return found;
  throw v4.status === 'rejected' ? v4.reason : new Error(`${hostname} has no address`);
}
