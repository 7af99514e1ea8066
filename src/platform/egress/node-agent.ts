/** For libraries that open their connections with `node:https`. */
import { Agent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { bareHost, type ProxyRule, portOf, proxyRule } from './proxy.js';
import { openTunnel } from './tunnel.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** An agent that connects through the configured proxy; `undefined` without one. */
export function tunnelAgent(): Agent | undefined {
  const rule = proxyRule();
  return rule.isOn ? new TunnelAgent(rule) : undefined;
}

type Created = (error: Error | null, socket: Duplex) => void;

class TunnelAgent extends Agent {
  readonly #rule: ProxyRule;

  constructor(rule: ProxyRule) {
    super({ keepAlive: true });
    this.#rule = rule;
  }

  override createConnection(options: RequestOptions, callback?: Created): Duplex | null | undefined {
    const host = bareHost(options.host ?? 'localhost');
    const port = portOf({ protocol: 'https:', port: String(options.port ?? '') });
    const proxy = this.#rule.proxyOf({ protocol: 'https:', hostname: host, port });
    if (proxy === undefined) return super.createConnection(options, callback);
    openTunnel(proxy, { host, port }, CONNECT_TIMEOUT_MS).then(
      (socket) => callback?.(null, connect({ ...(options as object), socket })),
      // The second argument counts only without an error.
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}
