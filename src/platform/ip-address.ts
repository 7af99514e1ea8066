/** The canonical text of addresses. */
import { isIP } from 'node:net';

/** The canonical text of an address, without zone, port and brackets; IPv4-mapped IPv6 becomes IPv4. */
export function canonicalAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bare = withoutPort(text).replace(/%.*/, '');
  const version = isIP(bare);
  if (version === 4) return bare;
  if (version !== 6) return undefined;
  // URL serialises an IPv6 address in its unique shortest form, in lower case.
  const shortest = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  return mappedIpv4(shortest) ?? shortest;
}

function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function mappedIpv4(ipv6: string): string | undefined {
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(ipv6);
  if (mapped === null) return undefined;
  const bytes = mapped.slice(1).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}
