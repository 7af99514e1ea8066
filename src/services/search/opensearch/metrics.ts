/** Metrics of the requests to OpenSearch. */
import { counter, durations, gauge, type Metric } from '../../../platform/observe/instruments.js';
import type { Slots } from '../../../platform/slots.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Operation = 'search' | 'read' | 'write' | 'other';
/** `refused`: with an error that is not one of availability. */
export type Outcome = 'ok' | 'refused' | 'unavailable';

export class ClientMetrics {
  readonly #requests = counter(
    'isccd_search_opensearch_requests_total',
    'Requests to nodes of OpenSearch, by outcome; a request that another node gets again counts twice',
    ['operation', 'outcome'],
  );
  readonly #seconds = durations(
    'isccd_search_opensearch_request_seconds',
    'Duration of these requests',
    ['operation'],
    SECONDS,
  );
  readonly all: readonly Metric[];

  /** @param all slots that requests run in */
  constructor(...slots: readonly Pick<Slots, 'running' | 'waiting'>[]) {
    const sum = (state: 'running' | 'waiting') => slots.reduce((sum, { [state]: count }) => sum + count, 0);
    const queue = gauge('isccd_search_opensearch_queue', 'Requests to OpenSearch by state', ['state'], () => [
      { labels: { state: 'running' }, value: sum('running') },
      { labels: { state: 'waiting' }, value: sum('waiting') },
    ]);
    this.all = [this.#requests, this.#seconds, queue];
  }

  /** Notes a request that ended. */
  ended(sending: Sending, outcome: Outcome, startMs: number): void {
    const operation = operationOf(sending);
    this.#requests.inc({ operation, outcome });
    this.#seconds.observe({ operation }, (performance.now() - startMs) / 1000);
  }
}

function operationOf({ path, isRead }: Sending): Operation {
  if (/\/_m?search\b/.test(path)) return 'search';
  if (/\/_(?:mget|doc)\b/.test(path) && isRead) return 'read';
  if (/\/_(?:bulk|doc|create)\b/.test(path)) return 'write';
  return 'other';
}

export interface Sending {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** With query. */
  readonly path: string;
  /** An object, or lines of NDJSON. */
  readonly body?: object | string | undefined;
  /** Whether it changes nothing, so that another node may get it again. */
  readonly isRead: boolean;
  /** Whether a healthy node responds within milliseconds, as it reads one document or the state of the cluster. */
  readonly isShort?: boolean;
}
