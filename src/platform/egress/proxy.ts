/** Which proxy the connections of this process use. A process has one way out, so the rule is one for all services. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { environment } from '../config/env.js';
import { type ProxyConfig, readProxyConfig } from '../config/proxy.js';

/** A server, with the fields of a URL. */
export interface Target {
  /** `http:` or `https:`. */
  readonly protocol: string;
  /** IPv6 addresses may have brackets. */
  readonly hostname: string;
  /** Empty for the default of the protocol. */
  readonly port: string;
}

export class ProxyRule {
  readonly #config: ProxyConfig;

  constructor(config: ProxyConfig) {
    this.#config = config;
  }

  /** Whether any connection uses a proxy. */
  get isOn(): boolean {
    return this.#config.https !== undefined || this.#config.http !== undefined;
  }

  /** Whether the proxy resolves host names that others choose, and decides which addresses are public. */
  get resolves(): boolean {
    return this.#config.resolves;
  }

  /** The proxy for a server; `undefined` for a direct connection. */
  proxyOf(target: Target): URL | undefined {
    const proxy = target.protocol === 'https:' ? this.#config.https : this.#config.http;
    if (proxy === undefined) return undefined;
    return this.#config.exceptions.some((entry) => isException(entry, target)) ? undefined : proxy;
  }
}

let current: ProxyRule | undefined;

/** The rule of this process: of the last {@link useProxy}, else of the environment. @throws {ConfigurationInvalid} */
export function proxyRule(): ProxyRule {
  current ??= new ProxyRule(readProxyConfig(environment()));
  return current;
}

/** Sets the rule for connections that are opened by clients which are made later. */
export function useProxy(config: ProxyConfig): void {
  current = new ProxyRule(config);
}

/** The port of a server as text. */
export function portOf({ protocol, port }: Pick<Target, 'protocol' | 'port'>): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** A host without the brackets of IPv6 addresses. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** Whether an entry of `NO_PROXY` names a server: by name, name of a parent domain, address or network. */
function isException(entry: string, target: Target): boolean {
  if (entry === '*') return true;
  const { host, port } = partsOf(entry.toLowerCase());
  if (port !== undefined && port !== portOf(target)) return false;
  const name = bareHost(target.hostname).toLowerCase().replace(/\.$/, '');
  if (isIP(name) !== 0) return isInNetwork(name, host);
  const domain = host.replace(/^\*?\./, '');
  return domain !== '' && (name === domain || name.endsWith(`.${domain}`));
}

function partsOf(entry: string): { host: string; port: string | undefined } {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return { host: bracketed[1] ?? '', port: bracketed[2] };
  if (isIP(entry) === 6) return { host: entry, port: undefined };
  const [, host = entry, port] = /^([^:]*):(\d+)$/.exec(entry) ?? [];
  return { host, port };
}

function isInNetwork(address: string, entry: string): boolean {
  const parsed = ipaddr.process(address);
  const isNetwork = ipaddr.isValidCIDR(entry);
  if (!isNetwork && isIP(entry) === 0) return false;
  const one = isNetwork ? undefined : ipaddr.process(entry);
  const [network, bits] =
    one === undefined ? ipaddr.parseCIDR(entry) : [one, one.kind() === 'ipv4' ? 32 : 128];
  return parsed.kind() === network.kind() && parsed.match(network, bits);
}
