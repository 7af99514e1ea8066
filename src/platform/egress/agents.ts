/** The agents with which everything in this process opens outgoing connections, through a proxy if one is configured. */
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { bareHost, type ProxyRule, portOf, proxyRule } from './proxy.js';
import { type ConnectOptions, isLocalName, publicConnector } from './public-connector.js';
import { forwardingPool, openTunnel, overTunnel } from './tunnel.js';

type AgentOptions = Omit<Agent.Options, 'connect' | 'factory'>;

/**
 * Connects to servers that the operator names, at any address.
 *
 * @param timeoutMs for each connection
 */
export function operatorAgent(timeoutMs: number, options: AgentOptions = {}): Agent {
  const rule = proxyRule();
  if (!rule.isOn) return new Agent({ ...options, connect: { timeout: timeoutMs } });
  const connect = operatorConnector(rule, timeoutMs);
  return new Agent({ ...options, connect, factory: factoryOf(rule, timeoutMs, () => true) });
}

/** Connects to public addresses of servers that others choose. Fails with `AddressRefused`. */
export function publicAgent(connecting: ConnectOptions, options: AgentOptions = {}): Agent {
  const rule = proxyRule();
  const connect = publicConnector(connecting, rule);
  if (!rule.isOn || !rule.resolves) return new Agent({ ...options, connect });
  // The connector refuses addresses in URLs.
  const mayForward = (host: string) => isIP(host) === 0 && !isLocalName(host);
  return new Agent({ ...options, connect, factory: factoryOf(rule, connecting.timeoutMs, mayForward) });
}

function operatorConnector(rule: ProxyRule, timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout });
  return (target, callback) => {
    const proxy = rule.proxyOf(target);
    if (proxy === undefined) return connect(target, callback);
    const place = { host: bareHost(target.hostname), port: portOf(target) };
    overTunnel(connect, target, openTunnel(proxy, place, timeout), callback);
  };
}

/** Requests without TLS have the absolute form, because proxies rarely allow tunnels to other ports than 443. */
function factoryOf(rule: ProxyRule, timeout: number, mayForward: (host: string) => boolean) {
  return (origin: string | URL, options: Pool.Options): Dispatcher => {
    const target = new URL(origin);
    const proxy = rule.proxyOf(target);
    const isForwarded = proxy !== undefined && target.protocol === 'http:';
    if (!isForwarded || !mayForward(bareHost(target.hostname))) return new Pool(origin, options);
    return forwardingPool(proxy, target.origin, { ...options, connect: { timeout } });
  };
}
