/** Rate limits by client address, with exemptions. */
import ipaddr from 'ipaddr.js';
import type { RateLimiter } from './rate-limiter.js';

/** The documentation of status 429. */
export const THROTTLED = {
  description: 'The client has sent too many requests; see Retry-After.',
};

type Network = ReturnType<typeof ipaddr.parseCIDR>;

export class Throttle {
  readonly #limiter: RateLimiter;
  readonly #exempt: ReadonlySet<string>;
  readonly #networks: readonly Network[];

  /** @param exempt client addresses and networks, in canonical form, that are exempt from all limits */
  constructor(limiter: RateLimiter, exempt: readonly string[]) {
    this.#limiter = limiter;
    this.#exempt = new Set(exempt.filter((one) => !one.includes('/')));
    this.#networks = exempt.filter((one) => one.includes('/')).map((one) => ipaddr.parseCIDR(one));
  }

  /** Counts a request; 0 if it is allowed, else the seconds to wait. */
  take(kind: string, address: string, cost?: number): number | Promise<number> {
    return this.#isExempt(address) ? 0 : this.#limiter.take(kind, clientKey(address), cost);
  }

  #isExempt(address: string): boolean {
    if (this.#exempt.has(address)) return true;
    if (this.#networks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.#networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
  }
}

const IPV6_GROUPS = 8;
const IPV6_PREFIX_GROUPS = 4;

/**
 * The unit that counts as one client: the address itself for IPv4 (also for IPv4-mapped IPv6), the /64 network for
 * IPv6, because one user typically owns a whole /64.
 */
export function clientKey(address: string): string {
  const network = clientNetwork(address);
  if (typeof network === 'string') return network;
  const parts = [...network, ...Array<number>(IPV6_GROUPS - network.length).fill(0)];
  return `${new ipaddr.IPv6(parts).toString()}/64`;
}

/** Like {@link clientKey}, with an IPv6 network as its first four 16-bit groups. Returns invalid addresses unchanged. */
export function clientNetwork(address: string): string | readonly number[] {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : parsed.parts.slice(0, IPV6_PREFIX_GROUPS);
}
