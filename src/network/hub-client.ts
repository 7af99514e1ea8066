/** Reads from hubs. Everything a hub sends is untrusted: addresses, sizes, times and encodings have limits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import { retryAfterMs } from '../client/retry.js';
import { publicAgent } from '../platform/egress/agents.js';
import type { ConnectOptions } from '../platform/egress/public-connector.js';
import { failureReason } from '../platform/failure-reason.js';
import { Slots } from '../platform/slots.js';
import { endsWithin, withTimeLimit } from '../platform/time-limit.js';
import { version } from '../platform/version.js';

const CONNECT_TIMEOUT_MS = 5_000;
const HEADER_BYTES_MAX = 16 * 1024;
const REQUESTS_PER_HUB = 2;
/** Quick requests at a time. */
const REQUESTS_MAX = 8;
/**
 * A request that takes longer gives its place to another one, so that a few slow hubs do not stop all others. It needs
 * little but its connection.
 */
const SLOW_MS = 2_000;
/** Slow requests at a time; more of them keep their places. */
const SLOW_MAX = 128;
/** Tokens of a hub's bucket, and how many come back each second. */
const BURST = 20;
const REQUESTS_PER_SECOND = 10;
/** Without a byte for this long, a response is given up. */
const STALL_MS = 15_000;
const RETRY_AFTER_MS_MAX = 3_600_000;

export type Resource = 'checkpoint' | 'bundle' | 'tile' | 'did' | 'list';

export type Fetched =
  | { readonly kind: 'ok'; readonly bytes: Buffer }
  /** 404. */
  | { readonly kind: 'missing' }
  /** No usable response. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number };

export interface FetchOptions {
  readonly resource: Resource;
  readonly bytesMax: number;
  readonly timeoutMs: number;
  /** Bypasses caches between the hub and us. */
  readonly noCache?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** DNS servers and certificate authorities other than those of the system. */
export type HubRoutes = Pick<ConnectOptions, 'dnsServers' | 'ca'>;

export interface HubClientOptions extends HubRoutes {
  /** Hosts that may be reached by http, and addresses that may be private; for tests. */
  readonly allowed: ReadonlySet<string>;
  readonly onRequest?: (host: string, resource: Resource, outcome: 'ok' | 'refused' | 'failed') => void;
}

export class HubClient {
  readonly #agent: Agent;
  readonly #options: HubClientOptions;
  readonly #all = new Slots(REQUESTS_MAX);
  #slow = 0;
  readonly #hubs = new Map<string, { readonly slots: Slots; readonly bucket: TokenBucket }>();

  constructor(options: HubClientOptions) {
    this.#options = options;
    this.#agent = publicAgent(
      { ...options, timeoutMs: CONNECT_TIMEOUT_MS },
      { connections: REQUESTS_PER_HUB, maxHeaderSize: HEADER_BYTES_MAX, allowH2: false },
    );
  }

  /** Never rejects. Waits for a place within the rates first. */
  async get(address: string, options: FetchOptions): Promise<Fetched> {
    const { host, protocol, hostname } = new URL(address);
    if (protocol !== 'https:' && !this.#options.allowed.has(hostname))
      return { kind: 'failed', reason: 'the address is not https' };
    const { slots, bucket } = this.#hub(host);
    try {
      await bucket.take(options.signal);
      const fetched = await slots.run(() => this.#inPlace(() => this.#request(address, options)));
      const outcome = fetched.kind === 'ok' ? 'ok' : fetched.kind === 'missing' ? 'refused' : 'failed';
      this.#options.onRequest?.(host, options.resource, outcome);
      return fetched;
    } catch (error) {
      this.#options.onRequest?.(host, options.resource, 'failed');
      return { kind: 'failed', reason: failureReason(error) };
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #hub(host: string) {
    const known = this.#hubs.get(host);
    if (known !== undefined) return known;
    const hub = { slots: new Slots(REQUESTS_PER_HUB), bucket: new TokenBucket(BURST, REQUESTS_PER_SECOND) };
    this.#hubs.set(host, hub);
    return hub;
  }

  /** Waits for one of the places of all hubs. */
  #inPlace(request: () => Promise<Fetched>): Promise<Fetched> {
    return new Promise((resolve, reject) => {
      void this.#all.run(async () => {
        const running = request();
        running.then(resolve, reject);
        const ended = running.catch(() => undefined);
        if ((await endsWithin(SLOW_MS, ended)) || this.#slow >= SLOW_MAX) return void (await ended);
        this.#slow += 1;
        void ended.then(() => {
          this.#slow -= 1;
        });
      });
    });
  }

  #request(address: string, options: FetchOptions): Promise<Fetched> {
    const { timeoutMs, signal } = options;
    return withTimeLimit(timeoutMs, signal, (limited) => this.#requestWithin(address, options, limited));
  }

  async #requestWithin(
    address: string,
    { bytesMax, timeoutMs, noCache }: FetchOptions,
    signal: AbortSignal,
  ): Promise<Fetched> {
    const { origin, pathname } = new URL(address);
    const response = await this.#agent.request({
      origin,
      path: pathname,
      method: 'GET',
      bodyTimeout: STALL_MS,
      headersTimeout: timeoutMs,
      signal,
      headers: {
        'user-agent': `isccd/${version}`,
        'accept-encoding': 'gzip, identity',
        ...(noCache && { 'cache-control': 'no-cache' }),
      },
    });
    if (response.statusCode !== 200) return refusal(response);
    return { kind: 'ok', bytes: await bodyOf(response, bytesMax) };
  }
}

function refusal({ statusCode, headers, body }: Dispatcher.ResponseData): Fetched {
  discard(body);
  if (statusCode === 404) return { kind: 'missing' };
  const header = headers['retry-after'];
  const pauseMs = typeof header === 'string' ? retryAfterMs(header) : undefined;
  return {
    kind: 'failed',
    reason: `status ${statusCode}`,
    ...(pauseMs !== undefined && { retryAfterMs: Math.min(pauseMs, RETRY_AFTER_MS_MAX) }),
  };
}

/** Closes the connection instead of reading a body that is not needed. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {}).destroy();
}

/** @throws if the body is longer than `bytesMax` after decoding, or not decodable */
async function bodyOf({ headers, body }: Dispatcher.ResponseData, bytesMax: number): Promise<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    discard(body);
    throw new Error('unknown content encoding');
  }
  const decoded = encoding === 'gzip' ? body.pipe(createGunzip()) : body;
  if (decoded !== body) body.on('error', (error) => decoded.destroy(error));
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of decoded) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new Error(`the response is longer than ${bytesMax} bytes`);
      pieces.push(piece);
    }
  } finally {
    discard(body);
    decoded.destroy();
  }
  return Buffer.concat(pieces);
}

/** Limits a rate: `burst` tokens at most, `perSecond` come back each second. */
class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #filledMs = performance.now();

  constructor(burst: number, perSecond: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
  }

  /** Resolves when a token is taken. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = performance.now();
    const gained = ((now - this.#filledMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained) - 1;
    this.#filledMs = now;
    // Tokens are taken in advance, so that callers wait in their order.
    if (this.#tokens < 0) await sleep((-this.#tokens / this.#perSecond) * 1000, undefined, { signal });
  }
}
