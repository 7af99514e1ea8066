/** GET requests to addresses that others choose: https, public servers only, at most two redirects. */
import type { Agent, Dispatcher } from 'undici';
import { failureReason } from '../failure-reason.js';
import { publicAgent } from './agents.js';
import { AddressRefused, type ConnectOptions, isAllowed } from './public-connector.js';

const REDIRECTS_MAX = 2;
const HEADER_BYTES_MAX = 16 * 1024;
const CONNECTIONS_PER_SERVER = 16;
const CONNECT_TIMEOUT_MS = 3_000;

export interface PublicClientOptions extends Omit<ConnectOptions, 'timeoutMs'> {
  /** Whether http is allowed as well as https: for content whose signature is checked. Default: `false`. */
  readonly plainHttp?: boolean;
}

/** Called for each request, also after a redirect. */
export type RequestHeaders = () => Readonly<Record<string, string>>;

export type Opened =
  /** The response, of any status but a redirect. The caller reads or {@link discard}s its body. */
  | { readonly kind: 'response'; readonly response: Dispatcher.ResponseData }
  /** An address that is not allowed. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

export class PublicClient {
  readonly #agent: Agent;
  readonly #allowed: ReadonlySet<string>;
  readonly #plainHttp: boolean;

  constructor(options: PublicClientOptions) {
    this.#allowed = options.allowed;
    this.#plainHttp = options.plainHttp ?? false;
    this.#agent = publicAgent(
      { ...options, timeoutMs: CONNECT_TIMEOUT_MS },
      { connections: CONNECTIONS_PER_SERVER, maxHeaderSize: HEADER_BYTES_MAX, allowH2: false },
    );
  }

  /** Whether an address is allowed: https, or http if all of it is allowed or a test allows the host. */
  accepts(url: URL): boolean {
    if (url.protocol === 'https:') return true;
    if (url.protocol !== 'http:') return false;
    return this.#plainHttp || isAllowed(this.#allowed, url.hostname, url.port || '80');
  }

  /** Requests a URL and follows redirects. Never rejects. */
  async get(url: URL, headers: RequestHeaders, signal: AbortSignal): Promise<Opened> {
    try {
      return await this.#follow(url, headers, signal);
    } catch (error) {
      const kind = error instanceof AddressRefused ? 'refused' : 'unreachable';
      return { kind, reason: failureReason(error) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #follow(start: URL, headers: RequestHeaders, signal: AbortSignal): Promise<Opened> {
    let url = start;
    for (let redirects = 0; ; redirects += 1) {
      if (!this.accepts(url)) return { kind: 'refused', reason: `${url.protocol} is not allowed` };
      const response = await this.#request(url, headers, signal);
      const target = redirectOf(response, url);
      if (target === undefined) return { kind: 'response', response };
      discard(response);
      if (redirects === REDIRECTS_MAX) return { kind: 'unreachable', reason: 'too many redirects' };
      url = target;
    }
  }

  #request(
    { origin, pathname, search }: URL,
    headers: RequestHeaders,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    return this.#agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      // No headers that identify this server or its client. No compression: limits and signatures apply to plain bytes.
      headers: { 'accept-encoding': 'identity', 'user-agent': 'isccd', ...headers() },
      signal,
    });
  }
}

/** Closes the connection instead of reading a body that is not needed. */
export function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {}).destroy();
}

/** The target of a redirect; `undefined` if the response is not a redirect. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const { location } = headers;
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}
