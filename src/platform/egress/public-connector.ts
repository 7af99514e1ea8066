/** Connects only to public addresses, whatever host name or literal a URL contains. */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './public-address.js';

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

/** A connector for undici; fails with {@link AddressRefused}. TLS and `Host` keep using the host name. */
export function publicConnector(options: ConnectOptions): buildConnector.connector {
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
    // Node does not call `lookup` for IP literals.
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0 && !mayConnect(literal)) callback(new AddressRefused(literal), null);
    else (allowed.size === 0 ? connectToPublic : build(mayConnect))(target, callback);
  };
}

/** Whether a list contains a host, or the host with this port. IPv6 addresses have brackets before a port. */
export function isAllowed(allowed: ReadonlySet<string>, host: string, port: string): boolean {
  if (allowed.has(host)) return true;
  return allowed.has(`${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
}

function portOf({ protocol, port }: { readonly protocol: string; readonly port: string }): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function dnsResolver({ dnsServers }: ConnectOptions): Resolver {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (dnsServers !== undefined) resolver.setServers(dnsServers);
  return resolver;
}

/** Fails unless all addresses of the name are allowed. */
function checkedLookup(resolver: Resolver, mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(resolver, hostname).then(
      (addresses) => {
        const refused = addresses.find(({ address }) => !mayConnect(address));
        const [first] = addresses;
        if (refused !== undefined) callback(new AddressRefused(refused.address), []);
        else if (all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** At least one address; rejects if the name has none. */
async function addressesOf(resolver: Resolver, hostname: string) {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (found.length > 0) return found;
  throw v4.status === 'rejected' ? v4.reason : new Error(`${hostname} has no address`);
}
