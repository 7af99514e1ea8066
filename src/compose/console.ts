/** The console: which other services a page offers, and at which addresses. */
import type { RequestHeaders } from '../http/head/head.js';
import type { Neighbours } from '../http/routing/neighbours.js';
import type { Origins } from '../http/routing/route.js';
import type { ConsoleSetting } from '../platform/config/console.js';
import { SERVICE_NAMES, type ServiceName } from './service-names.js';

interface Listening {
  readonly host: string;
  readonly port: number;
}

/** Headers of requests that came through a proxy, whose addresses this process does not know. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host'];
const HOST_AND_PORT = /^([\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/i;
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Addresses of the services in this process, as they start to listen, or those of the configuration. */
export class ConsoleAddresses {
  readonly #setting: ConsoleSetting;
  readonly #listening = new Map<ServiceName, Listening>();

  constructor(setting: ConsoleSetting) {
    this.#setting = setting;
  }

  /** Call it as soon as the service listens. */
  add(name: ServiceName, { host, port }: Listening): void {
    this.#listening.set(name, { host, port });
  }

  /** The neighbours of one service; `undefined` if its page offers none. */
  neighboursOf(own: ServiceName): Neighbours | undefined {
    const setting = this.#setting;
    if (setting === 'off') return undefined;
    if (setting === 'auto') return { origins: (headers) => this.#inProcess(own, headers) };
    const others = Object.fromEntries(Object.entries(setting).filter(([name]) => name !== own));
    return { origins: () => others };
  }

  /** Only for browsers that use the service's own port: behind a proxy, the other services have other addresses. */
  #inProcess(own: ServiceName, headers: RequestHeaders): Origins {
    const self = this.#listening.get(own);
    const [, hostname = '', port] = HOST_AND_PORT.exec(headers.get('host') ?? '') ?? [];
    if (self === undefined || Number(port) !== self.port) return {};
    if (PROXY_HEADERS.some((name) => headers.get(name) !== undefined)) return {};
    const origins: Record<string, string> = {};
    for (const name of SERVICE_NAMES) {
      const other = this.#listening.get(name);
      if (name === own || other === undefined || !isReachable(hostname, self, other)) continue;
      origins[name] = `http://${hostname}:${other.port}`;
    }
    return origins;
  }
}

/** Whether a name that leads to one service leads to the other too. */
function isReachable(hostname: string, self: Listening, other: Listening): boolean {
  if (self.host === other.host || EVERY_ADDRESS.includes(other.host)) return true;
  return LOOPBACK.test(other.host) && LOOPBACK.test(hostname);
}
