/** Requests to OpenSearch: JSON over HTTP, to any of several nodes. */
import { Agent, request } from 'undici';
import type { Metric } from '../../../platform/observe/instruments.js';
import { Slots } from '../../../platform/slots.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import { errorOf, OpenSearchError, UNAVAILABLE } from './errors.js';
import type { OpenSearchLocation } from './location.js';
import { ClientMetrics, type Sending } from './metrics.js';

/** Requests at a time, short ones apart from others. Further ones wait. */
const CONCURRENT_MAX = 64;
const CONNECT_MS_MAX = 3000;
/** A node that takes longer to respond is unreachable. */
const RESPONSE_MS_MAX = 30_000;
/** The same for short requests, longer than the pauses of a healthy node. */
const SHORT_MS_MAX = 5000;

export interface ClientOptions {
  readonly location: OpenSearchLocation;
  /** Sent in place of user and password. */
  readonly apiKey: string | undefined;
  /** Called with the error of each request that no node serves. */
  readonly onUnavailable: (error: unknown) => void;
}

export class Client {
  readonly #options: ClientOptions;
  readonly #agent = new Agent({ connect: { timeout: CONNECT_MS_MAX } });
  readonly #slots = new Slots(CONCURRENT_MAX);
  /** Short requests do not wait until a node that does not respond has cost the others their time. */
  readonly #shortSlots = new Slots(CONCURRENT_MAX);
  readonly #metrics = new ClientMetrics(this.#slots, this.#shortSlots);
  /** Position of the node that responded last. */
  #node = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * The JSON of the response.
   *
   * @throws {StorageUnavailable} if no node serves the request; whether a change was made may be unknown then
   * @throws {OpenSearchError} if the response is another error
   */
  send<T>(sending: Sending): Promise<T> {
    const slots = sending.isShort ? this.#shortSlots : this.#slots;
    return slots.run(() => this.#send<T>(sending));
  }

  get<T>(path: string, options: Pick<Sending, 'isShort'> = {}): Promise<T> {
    return this.send<T>({ method: 'GET', path, isRead: true, ...options });
  }

  /** A search or another question with a body. */
  ask<T>(path: string, body: object | string, options: Pick<Sending, 'isShort'> = {}): Promise<T> {
    return this.send<T>({ method: 'POST', path, body, isRead: true, ...options });
  }

  /** Metrics of the requests. */
  get metrics(): readonly Metric[] {
    return this.#metrics.all;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #send<T>(sending: Sending): Promise<T> {
    const { origins } = this.#options.location;
    let failure: unknown;
    for (let tries = 0; tries < origins.length; tries += 1) {
      const node = this.#node;
      const startMs = performance.now();
      try {
        const found = await this.#sendTo<T>(origins[node] as string, sending);
        this.#metrics.ended(sending, 'ok', startMs);
        return found;
      } catch (error) {
        const isRefused = error instanceof OpenSearchError && !error.isAway;
        this.#metrics.ended(sending, isRefused ? 'refused' : 'unavailable', startMs);
        if (isRefused)
          throw error.isTemporary ? new StorageUnavailable(UNAVAILABLE, { cause: error }) : error;
        failure = error;
        if (this.#node === node) this.#node = (node + 1) % origins.length;
        if (!sending.isRead && !wasNotSent(error)) break;
      }
    }
    const unavailable = new StorageUnavailable(UNAVAILABLE, { cause: failure });
    this.#options.onUnavailable(failure);
    throw unavailable;
  }

  async #sendTo<T>(origin: string, { method, path, body, isShort }: Sending): Promise<T> {
    const { location, apiKey } = this.#options;
    const authorization = apiKey === undefined ? location.authorization : `ApiKey ${apiKey}`;
    const isLines = typeof body === 'string';
    const timeout = isShort ? SHORT_MS_MAX : RESPONSE_MS_MAX;
    const response = await request(origin + path, {
      method,
      dispatcher: this.#agent,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      body: body === undefined ? null : isLines ? body : JSON.stringify(body),
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' }),
      },
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw errorOf(response.statusCode, text);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

/** Whether no node has seen the request. */
function wasNotSent(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
