/** Reads from gateways. Anyone can declare an address, so neither the address nor the server is trusted. */
import type { Dispatcher } from 'undici';
import { discard, PublicClient, type PublicClientOptions } from '../../platform/egress/public-client.js';
import { failureReason } from '../../platform/failure-reason.js';
import { TRACEPARENT, type Trace, traceparent } from '../../platform/observe/trace.js';

/** The result of a request to a gateway. */
export type Fetched =
  /** Status 200, with the whole body or the requested part of it. */
  | { readonly kind: 'found'; readonly bytes: Buffer; readonly headers: Dispatcher.ResponseData['headers'] }
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
  /** Media types that the client wants. Default: a Manifest Store. */
  readonly accept?: string;
  /** Trace of the request that caused this one. */
  readonly trace?: Trace | undefined;
}

export interface GatewayOptions extends PublicClientOptions {
  /** Called after every request. */
  readonly onFetched?: (purpose: 'probe' | 'fetch', outcome: Fetched['kind'], seconds: number) => void;
}

/**
 * The part of an address whose requests take turns with those of others: the last two labels of its host, because one owner has
 * as many names below them as it likes; or its IP address.
 */
export function siteOf(address: string): string {
  const { hostname } = new URL(address);
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return hostname;
  return hostname.split('.').slice(-2).join('.');
}

export class GatewayClient {
  readonly #client: PublicClient;
  readonly #onFetched: GatewayOptions['onFetched'];

  constructor(options: GatewayOptions) {
    this.#onFetched = options.onFetched;
    this.#client = new PublicClient(options);
  }

  /** Whether an address is allowed: https, or http on a host that a test allows. */
  accepts(url: URL): boolean {
    return this.#client.accepts(url);
  }

  /** Never rejects. */
  async get(address: string, limits: FetchLimits): Promise<Fetched> {
    const startMs = performance.now();
    const fetched = await this.#get(address, limits);
    const purpose = limits.head === true ? 'probe' : 'fetch';
    this.#onFetched?.(purpose, fetched.kind, (performance.now() - startMs) / 1000);
    return fetched;
  }

  async #get(address: string, limits: FetchLimits): Promise<Fetched> {
    const { trace, accept = 'application/c2pa' } = limits;
    // Each request has its own span.
    const headers = () => ({
      accept,
      ...(trace !== undefined && { [TRACEPARENT]: traceparent(trace) }),
    });
    try {
      const opened = await this.#client.get(new URL(address), headers, AbortSignal.timeout(limits.timeoutMs));
      return opened.kind === 'response' ? await resultOf(opened.response, limits) : opened;
    } catch (error) {
      return { kind: 'unreachable', reason: failureReason(error) };
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

async function resultOf(response: Dispatcher.ResponseData, limits: FetchLimits): Promise<Fetched> {
  const { statusCode } = response;
  if (statusCode === 200) return read(response, limits);
  discard(response);
  const kind = statusCode === 429 || statusCode >= 500 ? 'unreachable' : 'refused';
  return { kind, reason: `status ${statusCode}` };
}

async function read(response: Dispatcher.ResponseData, limits: FetchLimits): Promise<Fetched> {
  const { bytesMax, head = false } = limits;
  const tooLarge = { kind: 'refused', reason: `larger than ${bytesMax} bytes` } as const;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (!head && Number(response.headers['content-length']) > bytesMax) return tooLarge;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (head && size >= bytesMax) break;
      if (size > bytesMax) return tooLarge;
    }
  } finally {
    // Closes the connection unless the body was read completely.
    discard(response);
  }
  const bytes = Buffer.concat(chunks).subarray(0, bytesMax);
  return { kind: 'found', bytes, headers: response.headers };
}
