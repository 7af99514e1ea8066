/** Serves one request: routing, limits, validation, the handler, the response. */
import type { Logger } from '../platform/observe/log.js';
import type { SpanRecorder } from '../platform/observe/spans.js';
import { type Trace, traceOf } from '../platform/observe/trace.js';
import { HOST_INVALID, isAllowedHost } from './head/allowed-hosts.js';
import { hasUnknownExpectation } from './head/head.js';
import { requestIds } from './head/request-id.js';
import { corsHeaders, isPreflight, preflightReply } from './reply/cors.js';
import { errorReply } from './reply/error-reply.js';
import { ClientDisconnected, ExpectationFailed, RequestRefused, ResponseFailed } from './reply/errors.js';
import { sendRefusal, sendReply } from './reply/reply.js';
import {
  contentRefusal,
  lengthRefusal,
  memoryRefusal,
  openBody,
  parseForm,
  parseJson,
} from './request/body.js';
import type { BodyBudget } from './request/body-budget.js';
import { type RequestContext, ServedRequest } from './request/request.js';
import { validateBody, validateHead } from './request/validate.js';
import { isProbe } from './routing/health.js';
import { type Neighbours, neighbourPolicy } from './routing/neighbours.js';
import type { BodySpec, Reply, Route } from './routing/route.js';
import { type CompiledRoute, type Match, Router } from './routing/router.js';
import type { CorsPolicy, Refusal, ServiceApp } from './routing/service.js';
import type { Exchange } from './transport/transport.js';

/** A finished request. */
export interface Outcome {
  readonly request: ServedRequest;
  /** 499 if the client disconnected before the response was complete. */
  readonly status: number;
  readonly bodyBytes: number;
}

export interface DispatcherOptions {
  readonly app: ServiceApp;
  /** Routes of the service and of the HTTP layer. */
  readonly routes: readonly Route[];
  /** `host:port` for requests without a Host header. */
  readonly fallbackHost: string;
  /** The other services of the console. */
  readonly neighbours?: Neighbours | undefined;
  readonly log: Logger;
  readonly transportBytesMax: number;
  /** Memory for bodies that are kept whole. */
  readonly bodies: BodyBudget;
  /** Records the spans of requests. */
  readonly spans?: SpanRecorder | undefined;
  /** Must not throw. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Default limit of a body on a route that ignores it. */
const UNREAD_BODY = { bytesMax: 64 * 1024 } as const;

/** Status in the log for a client that disconnected before the response. Never sent. */
const CLIENT_DISCONNECTED = 499;

export class Dispatcher implements RequestContext {
  readonly proxies: number;
  readonly fallbackHost: string;
  readonly neighbours: Neighbours | undefined;
  readonly log: Logger;
  readonly #options: DispatcherOptions;
  readonly #app: ServiceApp;
  readonly #router: Router;
  readonly #nextId = requestIds();
  readonly #responseHeaders: readonly string[];
  #inFlight = 0;
  #isDraining = false;
  #onIdle: (() => void) | undefined;

  constructor(options: DispatcherOptions) {
    this.proxies = options.app.proxies;
    this.fallbackHost = options.fallbackHost;
    this.neighbours = options.neighbours;
    this.log = options.log;
    this.#options = options;
    this.#app = options.app;
    this.#router = new Router(options.routes);
    this.#responseHeaders = Object.entries(options.app.responseHeaders ?? {}).flat();
  }

  get draining(): boolean {
    return this.#isDraining;
  }

  /** From now on every response closes its connection. */
  startDraining(): void {
    this.#isDraining = true;
  }

  responseHeaders(request: ServedRequest): string[] {
    const headers = [
      'X-Content-Type-Options',
      'nosniff',
      'X-Request-Id',
      request.id,
      ...this.#responseHeaders,
    ];
    const cors = this.#corsPolicy(request);
    if (cors !== undefined) headers.push(...corsHeaders(cors, request));
    return headers;
  }

  /** For pages of the console's other services that of the console, else that of the service. */
  #corsPolicy(request: ServedRequest): CorsPolicy | undefined {
    if (this.neighbours !== undefined && isOpenTo('console', request)) {
      const policy = neighbourPolicy(this.neighbours, request.exchange.head);
      if (policy !== undefined) return policy;
    }
    return this.#app.cors !== undefined && isOpenTo('others', request) ? this.#app.cors : undefined;
  }

  trace(header: string | undefined): Trace {
    const { spans } = this.#options;
    return spans === undefined ? traceOf(header) : spans.begin(traceOf(header));
  }

  /** Serves one request; never throws. */
  handle(exchange: Exchange): void {
    this.#inFlight += 1;
    const match = this.#router.match(exchange.head.path);
    const request = new ServedRequest(this.#nextId(), exchange, match, this);
    let reply: Reply | Promise<Reply>;
    try {
      reply = this.#reply(request);
    } catch (error) {
      this.#fail(request, error);
      return;
    }
    if (!(reply instanceof Promise)) {
      this.#send(request, reply);
      return;
    }
    request.detach();
    reply.then(
      (settled) => this.#send(request, settled),
      (error) => this.#fail(request, error),
    );
  }

  /** Resolves when no request is in flight. From now on every response closes its connection. */
  drain(): Promise<void> {
    this.startDraining();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#inFlight === 0) resolve();
    });
  }

  #reply(request: ServedRequest): Reply | Promise<Reply> {
    const { exchange, match, compiled } = request;
    const { head, malformed } = exchange;
    if (malformed !== undefined) throw new RequestRefused({ kind: 'malformed', message: malformed });
    if (!isProbe(head.path) && !isAllowedHost(this.#app.allowedHosts, head.headers, this.proxies)) {
      throw new RequestRefused({ kind: 'malformed', message: HOST_INVALID });
    }
    if (hasUnknownExpectation(head)) throw new ExpectationFailed();
    if (match === undefined)
      throw new RequestRefused({ kind: 'not-found', path: head.path, query: head.query });
    if (compiled === undefined) return this.#otherMethod(request, match);
    const { route } = compiled;
    if (route.body === undefined) {
      refuse(lengthRefusal(this.#app.unreadBody ?? UNREAD_BODY, head, this.#options.transportBytesMax));
    }
    if (route.body !== undefined || route.guard !== undefined) {
      return this.#replyAsync(request, compiled, match.values);
    }
    validateHead(request, compiled, match.values, head);
    return route.handler(request);
  }

  #otherMethod(request: ServedRequest, match: Match): Reply {
    if (request.exchange.head.method !== 'OPTIONS') {
      throw new RequestRefused({ kind: 'method-not-allowed', allow: match.allow });
    }
    const cors = this.#corsPolicy(request);
    if (cors !== undefined && isPreflight(cors, request)) {
      return preflightReply(cors, request);
    }
    return { status: 204, headers: { Allow: [...match.allow, 'OPTIONS'].sort().join(', ') } };
  }

  /** Async path: routes with a body or a guard. */
  async #replyAsync(
    request: ServedRequest,
    compiled: CompiledRoute,
    values: readonly string[],
  ): Promise<Reply> {
    const { route } = compiled;
    const { exchange } = request;
    refuse(route.body && lengthRefusal(route.body, exchange.head, this.#options.transportBytesMax));
    const share = route.body && this.#options.bodies.open(request.clientAddress);
    request.bodyShare = share;
    if (route.body?.kind !== 'stream') refuse(memoryRefusal(share, exchange.head));
    // Must happen before the first await: bytes that arrive without a listener are lost.
    const inbox = route.body && openBody(route.body, exchange, share);
    if (inbox !== undefined) request.onDisconnect(() => inbox.abort());
    try {
      if (route.guard !== undefined) await route.guard(request);
      refuse(route.body && contentRefusal(route.body, exchange.head));
      validateHead(request, compiled, values, exchange.head);
      if (inbox !== undefined && route.body !== undefined) {
        request.body = route.body.kind === 'stream' ? inbox : readValue(route.body, await inbox.collect());
      }
      const reply = await route.handler(request);
      // A streamed response may read the body while it is sent.
      if (inbox !== undefined && reply.body?.kind === 'stream') {
        const unread = inbox;
        reply.body.stream.once('close', () => unread.discard());
      } else inbox?.discard();
      return reply;
    } catch (error) {
      inbox?.discard();
      throw error;
    }
  }

  #send(request: ServedRequest, reply: Reply): void {
    let sent: number | Promise<number>;
    try {
      sent = sendReply(request, reply);
    } catch (error) {
      this.#fail(request, error);
      return;
    }
    this.#whenSent(request, reply.status, sent);
  }

  #whenSent(request: ServedRequest, status: number, sent: number | Promise<number>): void {
    if (typeof sent === 'number') this.#finish(request, status, sent);
    else
      sent.then(
        (bytes) => this.#finish(request, status, bytes),
        (error) => this.#fail(request, error),
      );
  }

  /** Responds to a thrown value. */
  #fail(request: ServedRequest, error: unknown): void {
    if (error instanceof ResponseFailed) {
      request.log.error({ err: error.cause }, error.message);
      this.#finish(request, 500, 0);
    } else if (error instanceof ClientDisconnected || request.isDisconnected) {
      this.#finish(request, CLIENT_DISCONNECTED, 0);
    } else this.#sendError(request, error);
  }

  #sendError(request: ServedRequest, error: unknown): void {
    let status: number;
    let sent: number | Promise<number>;
    try {
      const reply =
        error instanceof ExpectationFailed ? { status: 417 } : errorReply(this.#app, error, request);
      sent = endsConnection(error) ? sendRefusal(request, reply) : sendReply(request, reply);
      status = reply.status;
    } catch (secondError) {
      // The service's own error form failed, so respond without it.
      request.log.error({ err: secondError }, 'rendering the error response failed');
      request.exchange.respond({ status: 500, headers: request.commonHeaders(), close: true }, '');
      status = 500;
      sent = 0;
    }
    this.#whenSent(request, status, sent);
  }

  #finish(request: ServedRequest, status: number, bodyBytes: number): void {
    this.#inFlight -= 1;
    request.bodyShare?.close();
    this.#options.onOutcome({ request, status, bodyBytes });
    if (this.#inFlight === 0) this.#onIdle?.();
  }
}

/** Whether pages of the console's other services, or of other origins by the service's policy, may use this path. */
function isOpenTo(whom: 'console' | 'others', { compiled, match }: ServedRequest): boolean {
  const isOpen = ({ route: { cors } }: CompiledRoute) =>
    cors !== false && (cors !== 'console' || whom === 'console');
  if (compiled !== undefined) return isOpen(compiled);
  return match === undefined || [...match.methods.values()].every(isOpen);
}

/** Whether the bytes after the request cannot be trusted to be another request. */
function endsConnection(error: unknown): boolean {
  if (error instanceof RequestRefused) return error.refusal.kind === 'malformed';
  return error instanceof ExpectationFailed;
}

function refuse(refusal: Refusal | undefined): void {
  if (refusal !== undefined) throw new RequestRefused(refusal);
}

function readValue(spec: BodySpec, bytes: Uint8Array): unknown {
  if (spec.kind === 'form') return validateBody(spec.schema, parseForm(bytes));
  if (spec.kind !== 'json')
    return spec.kind === 'bytes' && spec.schema ? validateBody(spec.schema, bytes) : bytes;
  const value = parseJson(bytes);
  return value === undefined ? undefined : validateBody(spec.schema, value);
}
