/** Who counts as one client. */
import ipaddr from 'ipaddr.js';

/** The address itself for IPv4, also when it comes mapped into IPv6; the /64 network for IPv6, which one user has. */
export function clientKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.map((part, at) => (at < 4 ? part : 0));
  return `${new ipaddr.IPv6(network).toString()}/64`;
}
