/** Connections to gateways: made only to addresses that were checked, whatever name or number stands in the URL. */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './public-address.js';

/** Questions to DNS servers: the resolver of c-ares, whose waiting takes none of the few threads of the process. */
const DNS_TIMEOUT_MS = 1000;
const DNS_TRIES = 2;

/** A gateway's address is not one to connect to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}

export interface ConnectOptions {
  /** Addresses that need not be public; for tests. */
  readonly allowed: ReadonlySet<string>;
  readonly timeoutMs: number;
  /** DNS servers instead of the system's. */
  readonly dnsServers?: readonly string[];
  /** Certificate authorities instead of Node's, in PEM. */
  readonly ca?: string;
}

/** A connector for undici; fails with {@link AddressRefused}. The name stays what TLS and `Host` say. */
export function gatewayConnector(options: ConnectOptions): buildConnector.connector {
  const { allowed, timeoutMs, ca } = options;
  const mayConnect = (address: string) => allowed.has(address) || isPublicAddress(address);
  const connect = buildConnector({
    timeout: timeoutMs,
    ...(ca === undefined ? {} : { ca }),
    lookup: checkedLookup(resolverOf(options), mayConnect),
  });
  return (target, callback) => {
    // Node asks no lookup about what is an address already.
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0 && !mayConnect(literal)) callback(new AddressRefused(literal), null);
    else connect(target, callback);
  };
}

function resolverOf({ dnsServers }: ConnectOptions): Resolver {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (dnsServers !== undefined) resolver.setServers(dnsServers);
  return resolver;
}

/** Gives a name's addresses only if all of them may be connected to. */
function checkedLookup(resolver: Resolver, mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(resolver, hostname).then(
      (addresses) => {
        const foreign = addresses.find(({ address }) => !mayConnect(address));
        const [first] = addresses;
        if (foreign !== undefined) callback(new AddressRefused(foreign.address), []);
        else if (all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** At least one. */
async function addressesOf(resolver: Resolver, hostname: string) {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (found.length > 0) return found;
  throw v4.status === 'rejected' ? v4.reason : new Error(`${hostname} has no address`);
}
