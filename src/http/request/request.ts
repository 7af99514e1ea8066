/** The request that a handler sees. Its properties are computed on first use. */
import type { Logger } from '../../platform/observe/log.js';
import { TRACEPARENT, type Trace } from '../../platform/observe/trace.js';
import { clientAddress, requestOrigin } from '../head/client-address.js';
import { ClientDisconnected } from '../reply/errors.js';
import type { Outgoing } from '../reply/outgoing.js';
import type { Neighbours } from '../routing/neighbours.js';
import type { Method, Origins, Request } from '../routing/route.js';
import type { CompiledRoute, Match } from '../routing/router.js';
import type { Exchange } from '../transport/transport.js';
import type { BodyShare } from './body-budget.js';

/** Context shared by all requests of a server. */
export interface RequestContext {
  readonly proxies: number;
  /** `host:port` for requests without a Host header. */
  readonly fallbackHost: string;
  /** The other services of the console, if any. */
  readonly neighbours: Neighbours | undefined;
  readonly log: Logger;
  /** Headers of every response. */
  responseHeaders(request: ServedRequest): string[];
  /** The trace of a request with this `traceparent`. */
  trace(header: string | undefined): Trace;
  /** Whether responses close their connections. */
  readonly draining: boolean;
}

export class ServedRequest implements Request, Outgoing {
  readonly id: string;
  readonly exchange: Exchange;
  readonly startedMs = performance.now();
  /** Routes of the path; `undefined` for an unknown path. */
  readonly match: Match | undefined;
  /** Route of path and method. */
  readonly compiled: CompiledRoute | undefined;
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  /** Memory of a body that is kept whole. */
  bodyShare: BodyShare | undefined;
  readonly #context: RequestContext;
  #onDisconnect: (() => void)[] | undefined;
  #log: Logger | undefined;
  #trace: Trace | undefined;
  #controller: AbortController | undefined;
  #detached = false;
  #disconnected = false;

  constructor(id: string, exchange: Exchange, match: Match | undefined, context: RequestContext) {
    this.id = id;
    this.exchange = exchange;
    this.match = match;
    this.compiled = match?.methods.get(this.isHead ? 'GET' : exchange.head.method);
    this.#context = context;
  }

  get method(): Method | 'HEAD' {
    return this.exchange.head.method as Method | 'HEAD';
  }

  get isHead(): boolean {
    return this.exchange.head.method === 'HEAD';
  }

  get close(): boolean {
    return this.#context.draining;
  }

  get path(): string {
    return this.exchange.head.path;
  }

  get rawQuery(): string {
    return this.exchange.head.query;
  }

  get clientAddress(): string {
    return clientAddress(this.exchange.remoteAddress, this.exchange.head.headers, this.#context.proxies);
  }

  get origin(): string {
    return requestOrigin(this.exchange.head.headers, this.#context.proxies, this.#context.fallbackHost);
  }

  get neighbours(): Origins {
    return this.#context.neighbours?.origins(this.exchange.head.headers) ?? {};
  }

  get log(): Logger {
    this.#log ??= this.#context.log.child({ requestId: this.id, traceId: this.trace.traceId });
    return this.#log;
  }

  get trace(): Trace {
    this.#trace ??= this.#context.trace(this.exchange.head.headers.get(TRACEPARENT));
    return this.#trace;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onDisconnect(() => controller.abort(new ClientDisconnected()));
    }
    return this.#controller.signal;
  }

  get isDisconnected(): boolean {
    return this.#disconnected;
  }

  commonHeaders(): string[] {
    return this.#context.responseHeaders(this);
  }

  header(name: string): string | undefined {
    return this.exchange.head.headers.get(name);
  }

  /** Keeps the exchange alive past its first turn and starts to watch for a disconnect. */
  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    this.exchange.detach(() => {
      this.#disconnected = true;
      for (const react of this.#onDisconnect ?? []) react();
    });
  }

  /** Runs `react` when the client disconnects before the response is complete, or now if it already has. */
  onDisconnect(react: () => void): void {
    if (this.#disconnected) react();
    else {
      this.#onDisconnect ??= [];
      this.#onDisconnect.push(react);
    }
  }
}
