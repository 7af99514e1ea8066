/**
 * Exports requests as OpenTelemetry spans: OTLP over HTTP in JSON
 * (https://opentelemetry.io/docs/specs/otlp/#otlphttp). A span holds method, route template, status and times; it holds
 * no path, query, address or header of a client.
 */
import type { TracingConfig } from '../config/tracing.js';
import { outgoingFetch } from '../egress/fetch.js';
import { failureReason } from '../failure-reason.js';
import { version } from '../version.js';
import type { Logger } from './log.js';
import { newSpanId, type Trace } from './trace.js';

/** A finished request. */
export interface ServedSpan {
  readonly trace: Trace;
  readonly method: string;
  /** The route's path template; `undefined` for requests without a route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  readonly requestId: string;
}

/** Spans of one service. */
export interface SpanRecorder {
  /** Decides whether to record the trace, and gives it a span of its own if so. */
  begin(trace: Trace): Trace;
  /** Queues the span of a trace that {@link begin} decided to record. */
  end(span: ServedSpan): void;
  /** Sends what is queued; never rejects. */
  flush(): Promise<void>;
}

interface Queued {
  readonly service: string;
  readonly span: object;
}

/** More are dropped, so that an outage of the collector costs no memory. */
const QUEUED_MAX = 4096;
const BATCH_MAX = 512;
const SEND_TIMEOUT_MS = 10_000;
/** Statuses after which OTLP clients send again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const WARN_EVERY_MS = 60_000;
/** Of the protocol. */
const KIND_SERVER = 2;
const STATUS_ERROR = 2;

/** One per process. */
export class SpanExporter {
  readonly #config: TracingConfig;
  readonly #log: Logger;
  readonly #counts = { exported: 0, dropped: 0 };
  #queue: Queued[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(config: TracingConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  /** Spans so far, by what became of them. */
  get counts(): Readonly<Record<'exported' | 'dropped', number>> {
    return this.#counts;
  }

  of(service: string): SpanRecorder {
    return {
      begin: (trace) => this.#begin(trace),
      end: (span) => this.#add({ service, span: spanOf(span) }),
      flush: () => this.#flush(),
    };
  }

  #begin(trace: Trace): Trace {
    const { followsParent, ratio } = this.#config;
    const isSampled =
      followsParent && trace.parentId !== undefined ? trace.isSampled : isInShare(trace.traceId, ratio);
    return { ...trace, isSampled, spanId: newSpanId() };
  }

  #add(queued: Queued): void {
    if (this.#queue.length >= QUEUED_MAX) {
      this.#counts.dropped += 1;
      return;
    }
    this.#queue.push(queued);
    if (this.#queue.length === BATCH_MAX) void this.#send();
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, this.#config.delayMs).unref();
  }

  /** Sends once what is queued now, also after a batch that is under way. */
  async #flush(): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendBatches().finally(() => {
      this.#sending = undefined;
      // Spans that ended meanwhile, and batches to send again.
      if (this.#queue.length > 0) this.#schedule();
    });
    return this.#sending;
  }

  async #sendBatches(): Promise<void> {
    for (let left = Math.ceil(this.#queue.length / BATCH_MAX); left > 0; left -= 1) {
      const batch = this.#queue.splice(0, BATCH_MAX);
      const problem = await this.#post(batch);
      if (problem === undefined) {
        this.#counts.exported += batch.length;
        continue;
      }
      this.#warn(problem.reason);
      if (!problem.isRetryable) this.#counts.dropped += batch.length;
      else {
        // The next export sends them again.
        const kept = batch.slice(0, QUEUED_MAX - this.#queue.length);
        this.#counts.dropped += batch.length - kept.length;
        this.#queue = [...kept, ...this.#queue];
        return;
      }
    }
  }

  async #post(batch: readonly Queued[]): Promise<{ reason: string; isRetryable: boolean } | undefined> {
    const { url, headers } = this.#config;
    try {
      const response = await outgoingFetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(exportRequest(batch)),
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (response.ok) return undefined;
      return { reason: `status ${response.status}`, isRetryable: RETRYABLE.has(response.status) };
    } catch (error) {
      const { cause = error } = error as Error;
      return { reason: failureReason(cause), isRetryable: true };
    }
  }

  #warn(reason: string): void {
    if (performance.now() - this.#warnedMs < WARN_EVERY_MS) return;
    this.#warnedMs = performance.now();
    this.#log.warn({ reason, url: this.#config.url }, 'spans could not be exported');
  }
}

/** Decides alike in all processes of a trace, from the random digits at the end of its id. */
function isInShare(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
}

function spanOf({ trace, method, route, status, seconds, requestId }: ServedSpan): object {
  const endMs = Date.now();
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentId !== undefined && { parentSpanId: trace.parentId }),
    name: route === undefined ? method : `${method} ${route}`,
    kind: KIND_SERVER,
    startTimeUnixNano: nanoseconds(endMs - seconds * 1000),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: [
      text('http.request.method', method),
      ...(route === undefined ? [] : [text('http.route', route)]),
      { key: 'http.response.status_code', value: { intValue: String(status) } },
      text('isccd.request_id', requestId),
    ],
    // Errors of clients are no errors of a server span.
    status: status >= 500 ? { code: STATUS_ERROR } : {},
  };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function text(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

function exportRequest(batch: readonly Queued[]): object {
  const services = [...new Set(batch.map(({ service }) => service))];
  return {
    resourceSpans: services.map((service) => ({
      resource: {
        attributes: [
          text('service.name', `isccd-${service}`),
          text('service.version', version),
          { key: 'process.pid', value: { intValue: String(process.pid) } },
        ],
      },
      scopeSpans: [
        {
          scope: { name: 'isccd', version },
          spans: batch.filter((queued) => queued.service === service).map(({ span }) => span),
        },
      ],
    })),
  };
}
