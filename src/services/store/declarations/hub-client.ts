/** Requests to the configured hub, the store's only outgoing connections. Time and response size are limited. */
import { type Agent, type Dispatcher, errors } from 'undici';
import { operatorAgent } from '../../../platform/egress/agents.js';
import { PROXY_FAILED } from '../../../platform/egress/tunnel.js';
import { failureReason } from '../../../platform/failure-reason.js';
import { TRACEPARENT, type Trace, traceparent } from '../../../platform/observe/trace.js';
import {
  type DeclareAnswer,
  declareAnswer,
  type HttpAnswer,
  type LookupAnswer,
  lookupAnswer,
  resolveAnswer,
  type Unanswered,
  type WithdrawAnswer,
  withdrawAnswer,
} from './hub-answers.js';
import type { Note, WithdrawalNote } from './iscc-note.js';

const ANSWER_BYTES_MAX = 64 * 1024;

/** Error codes of failures before anything was sent. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  PROXY_FAILED,
]);

/** Port to a hub. No method rejects because of the network or the hub: failures are results. */
export interface Hub {
  /** @param force disables the hub's check for other declarations of the same datahash */
  declare(note: Note, force: boolean, trace?: Trace): Promise<DeclareAnswer>;
  withdraw(note: WithdrawalNote, trace?: Trace): Promise<WithdrawAnswer>;
  /** The declaration with this ISCC-ID, if it is in force. */
  resolve(isccId: string, trace?: Trace): Promise<LookupAnswer>;
  /** All declarations of a datahash that are in force. */
  lookup(datahash: string, trace?: Trace): Promise<LookupAnswer>;
  /** Aborts requests in flight. */
  close(): Promise<void>;
}

interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly trace: Trace | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export class HubClient implements Hub {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #agent: Agent;

  /** @param url without a trailing slash */
  constructor(url: string, timeoutMs: number) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#agent = operatorAgent(timeoutMs, {
      maxResponseSize: ANSWER_BYTES_MAX,
      // One connection per request: after a send on a connection that the hub is closing, the outcome is unknown.
      pipelining: 0,
    });
  }

  declare(note: Note, force: boolean, trace?: Trace): Promise<DeclareAnswer> {
    const headers = force ? { 'X-Force-Declaration': 'true' } : {};
    return this.#request({ method: 'POST', path: '/declaration', body: note, headers, trace }, declareAnswer);
  }

  withdraw(note: WithdrawalNote, trace?: Trace): Promise<WithdrawAnswer> {
    const path = `/declaration/${note.iscc_id}`;
    return this.#request({ method: 'DELETE', path, body: note, trace }, withdrawAnswer);
  }

  resolve(isccId: string, trace?: Trace): Promise<LookupAnswer> {
    return this.#request({ method: 'GET', path: `/${isccId}`, trace }, resolveAnswer);
  }

  lookup(datahash: string, trace?: Trace): Promise<LookupAnswer> {
    return this.#request({ method: 'GET', path: `/lookup?datahash=${datahash}`, trace }, lookupAnswer);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #request<T>(request: Outgoing, read: (answer: HttpAnswer) => T): Promise<T | Unanswered> {
    try {
      return read(await this.#exchange(request));
    } catch (error) {
      return unanswered(error);
    }
  }

  /** undici does not follow redirects by default. */
  async #exchange({ method, path, body, headers, trace }: Outgoing): Promise<HttpAnswer> {
    const options: Omit<Dispatcher.RequestOptions, 'origin' | 'path'> = {
      method,
      headers: {
        Accept: 'application/json',
        ...(trace !== undefined && { [TRACEPARENT]: traceparent(trace) }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(this.#timeoutMs),
    };
    const { origin, pathname } = new URL(this.#url);
    const target = { origin, path: pathname.replace(/\/$/, '') + path };
    const response = await this.#agent.request({ ...options, ...target });
    return { status: response.statusCode, text: await response.body.text() };
  }
}

function unanswered(error: unknown): Unanswered {
  const reason = failureReason(error);
  const code = (error as { code?: unknown }).code;
  const unreachable = !(error instanceof errors.ResponseExceededMaxSizeError);
  const uncertain = typeof code !== 'string' || !NEVER_SENT.has(code);
  return { type: 'unanswered', reason: `no response: ${reason}`, uncertain, unreachable };
}
