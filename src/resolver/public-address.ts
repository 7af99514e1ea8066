/** Which addresses of the Internet a gateway may have. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Offsets of the IPv4 address in IPv6 addresses that only wrap one, in bytes. */
const WRAPPED_AT: Readonly<Record<string, number>> = { ipv4Mapped: 12, rfc6052: 12, '6to4': 2 };
/** 64:ff9b::/96, the public NAT64 prefix; the one for local use next to it leads anywhere. */
const NAT64_PREFIX = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
/** 2000::/3, all of IPv6 that has been given out. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Whether an IP address is one of the public Internet: no loopback, private or link-local network, carrier NAT,
 * multicast, benchmark, documentation or otherwise special range, also not wrapped into IPv6 (mapped, NAT64, 6to4).
 */
export function isPublicAddress(address: string): boolean {
  // Stricter than the parser: no parts left out, no octal numbers.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  if (parsed.zoneId !== undefined) return false;
  const range = parsed.range();
  const wrappedAt = WRAPPED_AT[range];
  if (wrappedAt === undefined) return range === 'unicast' && parsed.match(GLOBAL_UNICAST);
  if (range === 'rfc6052' && !parsed.match(NAT64_PREFIX)) return false;
  const bytes = parsed.toByteArray().slice(wrappedAt, wrappedAt + 4);
  return new ipaddr.IPv4(bytes).range() === 'unicast';
}
