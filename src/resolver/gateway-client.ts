/** Reads from gateways: addresses that anybody may have declared, and servers that may do anything. */
import { Agent, type Dispatcher } from 'undici';
import { TRACEPARENT, type Trace, traceparent } from '../observe/trace.js';
import { AddressRefused, type ConnectOptions, gatewayConnector } from './gateway-connect.js';

const REDIRECTS_MAX = 2;
const HEADER_BYTES_MAX = 16 * 1024;
const CONNECTIONS_PER_GATEWAY = 16;
const CONNECT_TIMEOUT_MS = 3_000;

/** What a gateway made of a request. */
export type Fetched =
  /** 200, and the body: all of it, or the part that was asked for. */
  | { readonly kind: 'found'; readonly bytes: Buffer }
  /** It is not there, is something else, is too large, or leads where we don't go. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may be there another time: overload, failure, time-out, too many redirects. */
  | { readonly kind: 'unreachable'; readonly reason: string };

export interface FetchLimits {
  /** For all redirects together. */
  readonly timeoutMs: number;
  /** More than this is an answer of the wrong kind; with `head` the rest is not read. */
  readonly bytesMax: number;
  /** Whether the first `bytesMax` bytes are all that is wanted. */
  readonly head?: boolean;
  /** What the request is made for. */
  readonly trace?: Trace | undefined;
}

export type GatewayOptions = Omit<ConnectOptions, 'timeoutMs'>;

export class GatewayClient {
  readonly #agent: Agent;
  readonly #allowed: ReadonlySet<string>;

  constructor(options: GatewayOptions) {
    this.#allowed = options.allowed;
    this.#agent = new Agent({
      connect: gatewayConnector({ ...options, timeoutMs: CONNECT_TIMEOUT_MS }),
      connections: CONNECTIONS_PER_GATEWAY,
      maxHeaderSize: HEADER_BYTES_MAX,
      allowH2: false,
    });
  }

  /** Whether an address may be asked at all: https, or http of a host that a test allows. */
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
      if (!this.accepts(url)) return { kind: 'refused', reason: `${url.protocol} is not asked` };
      const response = await this.#request(url, signal, limits.trace);
      const target = redirectOf(response, url);
      if (target === undefined) return await answerOf(response, limits);
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
      // Nothing that would identify us or a client of ours, and no coding: sizes and signatures are of plain bytes.
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

/** Where a redirect leads; `undefined` for every other answer. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const { location } = headers;
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

async function answerOf(response: Dispatcher.ResponseData, limits: FetchLimits): Promise<Fetched> {
  const { statusCode } = response;
  if (statusCode === 200) return read(response, limits);
  await discard(response);
  const kind = statusCode === 429 || statusCode >= 500 ? 'unreachable' : 'refused';
  return { kind, reason: `status ${statusCode}` };
}

async function read({ body, headers }: Dispatcher.ResponseData, limits: FetchLimits): Promise<Fetched> {
  const { bytesMax, head = false } = limits;
  const tooLarge = { kind: 'refused', reason: `more than ${bytesMax} bytes` } as const;
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
    // Ends the connection unless the body was read to its end.
    body.on('error', () => {}).destroy();
  }
  return { kind: 'found', bytes: Buffer.concat(chunks).subarray(0, bytesMax) };
}

/** Bodies that nobody wants are not read. */
async function discard({ body }: Dispatcher.ResponseData): Promise<void> {
  body.on('error', () => {}).destroy();
}
