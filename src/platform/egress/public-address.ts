/** Decides which IP addresses count as public. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Byte offset of the embedded IPv4 address, by the IPv6 range that embeds one. */
const EMBEDDED_AT: Readonly<Record<string, number>> = { ipv4Mapped: 12, rfc6052: 12, '6to4': 2 };
/** 64:ff9b::/96, the public NAT64 prefix. The adjacent local-use prefix can map to any network. */
const NAT64_PREFIX = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
/** 2000::/3, all of IPv6 that is allocated for global unicast. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Whether an IP address belongs to the public Internet. Refuses loopback, private and link-local networks, carrier NAT,
 * multicast, benchmark, documentation and other special ranges, also if embedded in IPv6 (mapped, NAT64, 6to4).
 */
export function isPublicAddress(address: string): boolean {
  // Stricter than the parser below, which accepts shortened and octal IPv4 forms.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  if (parsed.zoneId !== undefined) return false;
  const range = parsed.range();
  const embeddedAt = EMBEDDED_AT[range];
  if (embeddedAt === undefined) return range === 'unicast' && parsed.match(GLOBAL_UNICAST);
  if (range === 'rfc6052' && !parsed.match(NAT64_PREFIX)) return false;
  const bytes = parsed.toByteArray().slice(embeddedAt, embeddedAt + 4);
  return new ipaddr.IPv4(bytes).range() === 'unicast';
}
