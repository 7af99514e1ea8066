/** Reads from gateways. Anyone can declare an address, so neither the address nor the server is trusted. */
import { Agent, type Dispatcher } from 'undici';
import { AddressRefused, type ConnectOptions, publicConnector } from '../egress/public-connector.js';
import { TRACEPARENT, type Trace, traceparent } from '../observe/trace.js';

const REDIRECTS_MAX = 2;
const HEADER_BYTES_MAX = 16 * 1024;
const CONNECTIONS_PER_GATEWAY = 16;
const CONNECT_TIMEOUT_MS = 3_000;

/** The result of a request to a gateway. */
export type Fetched =
  /** Status 200, with the whole body or the requested part of it. */
  | { readonly kind: 'found'; readonly bytes: Buffer }
  /** Missing, of another kind, too large, or at an address that is not allowed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** May succeed later: overload, failure, time-out, too many redirects. */
  | { readonly kind: 'unreachable'; readonly reason: string };

export interface FetchLimits {
  /** For the whole request, including redirects. */
  readonly timeoutMs: number;
  /** A longer body is refused; with `head`, the rest of it is not read. */
  readonly bytesMax: number;
  /** Whether to read only the first `bytesMax` bytes. */
  readonly head?: boolean;
  /** Trace of the request that caused this one. */
  readonly trace?: Trace | undefined;
}

export type GatewayOptions = Omit<ConnectOptions, 'timeoutMs'>;

export class GatewayClient {
  readonly #agent: Agent;
  readonly #allowed: ReadonlySet<string>;

  constructor(options: GatewayOptions) {
    this.#allowed = options.allowed;
    this.#agent = new Agent({
      connect: publicConnector({ ...options, timeoutMs: CONNECT_TIMEOUT_MS }),
      connections: CONNECTIONS_PER_GATEWAY,
      maxHeaderSize: HEADER_BYTES_MAX,
      allowH2: false,
    });
  }

  /** Whether an address is allowed: https, or http on a host that a test allows. */
  accepts(url: URL): boolean {
    if (url.protocol === 'https:') return true;
    return url.protocol === 'http:' && this.#allowed.has(url.hostname);
  }

  /** Never rejects. */
  async get(address: string, limits: FetchLimits): Promise<Fetched> {
    const signal = AbortSignal.timeout(limits.timeoutMs);
    try {
      return await this.#follow(new URL(address), limits, signal);
    } catch (error) {
      const kind = error instanceof AddressRefused ? 'refused' : 'unreachable';
      return { kind, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #follow(start: URL, limits: FetchLimits, signal: AbortSignal): Promise<Fetched> {
    let url = start;
    for (let redirects = 0; ; redirects += 1) {
      if (!this.accepts(url)) return { kind: 'refused', reason: `${url.protocol} is not allowed` };
      const response = await this.#request(url, signal, limits.trace);
      const target = redirectOf(response, url);
      if (target === undefined) return await resultOf(response, limits);
      await discard(response);
      if (redirects === REDIRECTS_MAX) return { kind: 'unreachable', reason: 'too many redirects' };
      url = target;
    }
  }

  #request(
    { origin, pathname, search }: URL,
    signal: AbortSignal,
    trace: Trace | undefined,
  ): Promise<Dispatcher.ResponseData> {
    return this.#agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      // No headers that identify this server or its client. No compression: limits and signatures apply to plain bytes.
      headers: {
        accept: 'application/c2pa',
        'accept-encoding': 'identity',
        'user-agent': 'isccd',
        ...(trace !== undefined && { [TRACEPARENT]: traceparent(trace) }),
      },
      signal,
    });
  }
}

/** The target of a redirect; `undefined` if the response is not a redirect. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const { location } = headers;
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

async function resultOf(response: Dispatcher.ResponseData, limits: FetchLimits): Promise<Fetched> {
  const { statusCode } = response;
  if (statusCode === 200) return read(response, limits);
  await discard(response);
  const kind = statusCode === 429 || statusCode >= 500 ? 'unreachable' : 'refused';
  return { kind, reason: `status ${statusCode}` };
}

async function read({ body, headers }: Dispatcher.ResponseData, limits: FetchLimits): Promise<Fetched> {
  const { bytesMax, head = false } = limits;
  const tooLarge = { kind: 'refused', reason: `larger than ${bytesMax} bytes` } as const;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (!head && Number(headers['content-length']) > bytesMax) return tooLarge;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (head && size >= bytesMax) break;
      if (size > bytesMax) return tooLarge;
    }
  } finally {
    // Closes the connection unless the body was read completely.
    body.on('error', () => {}).destroy();
  }
  return { kind: 'found', bytes: Buffer.concat(chunks).subarray(0, bytesMax) };
}

/** Closes the connection instead of reading a body that is not needed. */
async function discard({ body }: Dispatcher.ResponseData): Promise<void> {
  body.on('error', () => {}).destroy();
}
