/** One request from its head to its last byte: routing, limits, validation, the handler, the reply. */
import type { Logger } from '../observe/log.js';
import { bodyRefusal, openBody, parseJson } from './body.js';
import { corsHeaders, isPreflight, preflightReply } from './cors.js';
import { errorReply } from './error-reply.js';
import { AnswerBroken, ClientGone, RequestRefused } from './errors.js';
import type { Outgoing } from './outgoing.js';
import { sendRefusal, sendReply } from './reply.js';
import { type RequestContext, ServedRequest } from './request.js';
import { requestIds } from './request-id.js';
import type { BodySpec, Reply, Route } from './route.js';
import { type CompiledRoute, type Match, Router } from './router.js';
import type { ServiceApp } from './service.js';
import type { Exchange } from './transport.js';
import { validateBody, validateHead } from './validate.js';

/** What is known about a request when it is over. */
export interface Outcome {
  readonly request: ServedRequest;
  /** The route's path with its placeholders; `undefined` for an unknown path. */
  readonly routePath: string | undefined;
  /** 499 if the client left before it was answered. */
  readonly status: number;
  readonly bodyBytes: number;
}

export interface DispatcherOptions extends RequestContext {
  readonly app: ServiceApp;
  /** The service's routes and the layer's own. */
  readonly routes: readonly Route[];
  readonly transportBytesMax: number;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Status in the log for a client that did not wait for its answer. Never sent. */
const CLIENT_GONE = 499;

interface Target {
  readonly match: Match | undefined;
  readonly compiled: CompiledRoute | undefined;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #app: ServiceApp;
  readonly #log: Logger;
  readonly #router: Router;
  readonly #nextId = requestIds();
  readonly #answerHeaders: readonly string[];
  #inFlight = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#app = options.app;
    this.#log = options.log;
    this.#router = new Router(options.routes);
    this.#answerHeaders = Object.entries(options.app.answerHeaders ?? {}).flat();
  }

  /** Answers one request; never throws. */
  handle(exchange: Exchange): void {
    this.#inFlight += 1;
    const request = new ServedRequest(this.#nextId(), exchange, this.#options);
    const match = this.#router.match(exchange.head.path);
    const method = exchange.head.method === 'HEAD' ? 'GET' : exchange.head.method;
    const target = { match, compiled: match?.methods.get(method) };
    try {
      const reply = this.#reply(request, target);
      if (reply instanceof Promise) {
        request.detach();
        reply.then(
          (settled) => this.#send(request, target, settled),
          (error) => this.#fail(request, target, error),
        );
      } else this.#send(request, target, reply);
    } catch (error) {
      this.#fail(request, target, error);
    }
  }

  /** Settles when no request is being answered. From now on every answer closes its connection. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#inFlight === 0) resolve();
    });
  }

  #reply(request: ServedRequest, { match, compiled }: Target): Reply | Promise<Reply> {
    const { head, malformed } = request.exchange;
    if (malformed !== undefined) throw new RequestRefused({ kind: 'malformed', message: malformed });
    if (match === undefined) throw new RequestRefused({ kind: 'not-found', path: head.path });
    if (compiled === undefined) return this.#otherMethod(request, match);
    const { route } = compiled;
    if (route.body === undefined && route.guard === undefined) {
      validateHead(request, compiled, match.values, head);
      return route.handler(request);
    }
    return this.#replyWithBody(request, compiled, match.values);
  }

  #otherMethod(request: ServedRequest, match: Match): Reply {
    if (request.exchange.head.method !== 'OPTIONS') {
      throw new RequestRefused({ kind: 'method-not-allowed', allow: match.allow });
    }
    const asked = match.methods.get(request.header('access-control-request-method') ?? '');
    if (this.#app.cors !== undefined && asked?.route.cors !== false && isPreflight(request)) {
      return preflightReply(this.#app.cors, request);
    }
    return { status: 204, headers: { Allow: [...match.allow, 'OPTIONS'].sort().join(', ') } };
  }

  async #replyWithBody(
    request: ServedRequest,
    compiled: CompiledRoute,
    values: readonly string[],
  ): Promise<Reply> {
    const { route } = compiled;
    const { exchange } = request;
    const refusal = route.body && bodyRefusal(route.body, exchange.head, this.#options.transportBytesMax);
    if (refusal !== undefined) throw new RequestRefused(refusal);
    // Opened before anything is awaited: bytes that arrive while nobody listens are lost.
    const inbox = route.body && openBody(route.body, exchange);
    if (inbox !== undefined) request.onGone(() => inbox.abort());
    try {
      if (route.guard !== undefined) await route.guard(request);
      validateHead(request, compiled, values, exchange.head);
      if (inbox !== undefined && route.body !== undefined) {
        request.body = route.body.kind === 'stream' ? inbox : readValue(route.body, await inbox.collect());
      }
      return await route.handler(request);
    } finally {
      inbox?.discard();
    }
  }

  #send(request: ServedRequest, target: Target, reply: Reply): void {
    try {
      const sent = sendReply(this.#outgoing(request, target), reply);
      if (typeof sent === 'number') this.#finish(request, target, reply.status, sent);
      else
        sent.then(
          (bytes) => this.#finish(request, target, reply.status, bytes),
          (error) => this.#fail(request, target, error),
        );
    } catch (error) {
      this.#fail(request, target, error);
    }
  }

  /** Answers what was thrown. */
  #fail(request: ServedRequest, target: Target, error: unknown): void {
    if (error instanceof AnswerBroken) {
      this.#log.error({ requestId: request.id, err: error.cause }, error.message);
      this.#finish(request, target, 500, 0);
    } else if (error instanceof ClientGone || request.isGone) {
      this.#finish(request, target, CLIENT_GONE, 0);
    } else this.#answerError(request, target, error);
  }

  #answerError(request: ServedRequest, target: Target, error: unknown): void {
    const outgoing = this.#outgoing(request, target);
    try {
      const reply = errorReply(this.#app.errors, error, request.id, this.#log);
      const malformed = error instanceof RequestRefused && error.refusal.kind === 'malformed';
      const sent = malformed ? sendRefusal(outgoing, reply) : sendReply(outgoing, reply);
      this.#finish(request, target, reply.status, typeof sent === 'number' ? sent : 0);
    } catch (secondError) {
      // The service's error form failed itself: answer without it.
      this.#log.error({ requestId: request.id, err: secondError }, 'the error answer failed');
      request.exchange.respond({ status: 500, headers: outgoing.commonHeaders, close: true }, '');
      this.#finish(request, target, 500, 0);
    }
  }

  #outgoing(request: ServedRequest, { compiled }: Target): Outgoing {
    const common = ['X-Content-Type-Options', 'nosniff', 'X-Request-Id', request.id, ...this.#answerHeaders];
    if (this.#app.cors !== undefined && compiled?.route.cors !== false) {
      common.push(...corsHeaders(this.#app.cors, request));
    }
    return {
      exchange: request.exchange,
      isHead: request.exchange.head.method === 'HEAD',
      commonHeaders: common,
      close: this.#onIdle !== undefined,
      detach: () => request.detach(),
      onGone: (react) => request.onGone(react),
    };
  }

  #finish(request: ServedRequest, { compiled }: Target, status: number, bodyBytes: number): void {
    this.#inFlight -= 1;
    this.#options.onOutcome({ request, routePath: compiled?.route.path, status, bodyBytes });
    if (this.#inFlight === 0) this.#onIdle?.();
  }
}

function readValue(spec: BodySpec, bytes: Uint8Array): unknown {
  if (spec.kind !== 'json')
    return spec.kind === 'bytes' && spec.schema ? validateBody(spec.schema, bytes) : bytes;
  const value = parseJson(bytes);
  return value === undefined ? undefined : validateBody(spec.schema, value);
}
