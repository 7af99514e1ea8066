/** The `/metrics` route, and counting requests for it. */
import type { Metrics, MetricsSource } from '../../platform/observe/metrics.js';
import type { SpanRecorder } from '../../platform/observe/spans.js';
import { version } from '../../platform/version.js';
import type { Outcome } from '../dispatcher.js';
import { statusLine } from '../head/status.js';
import { plainText } from './replies.js';
import type { Reply, Route } from './route.js';
import type { ErrorForm, ServiceApp } from './service.js';

export const METRICS_PATH = '/metrics';

/** Label for requests without a route: paths that clients invent must not become labels. */
const NO_ROUTE = 'none';
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

export function metricsRoute(metrics: MetricsSource): Route {
  return {
    method: 'GET',
    path: METRICS_PATH,
    operationId: 'metrics',
    summary: 'Prometheus metrics',
    hidden: true,
    responses: {},
    handler: async () => {
      const { text, contentType } = await metrics.exposition();
      return { status: 200, body: { kind: 'text', text, contentType } };
    },
  };
}

/** A service with only the process's metrics, for an address that only the operator can reach. */
export function metricsApp(metrics: MetricsSource): ServiceApp {
  return {
    name: 'metrics',
    title: 'isccd metrics',
    description: 'Metrics of the process and its services.',
    version,
    routes: [metricsRoute(metrics)],
    errors: PLAIN_ERRORS,
    proxies: 0,
  };
}

/** Returns a function that counts finished requests. */
export function countRequests(metrics: Metrics, service: string): (outcome: Outcome) => void {
  const count = metrics.requests(service);
  return ({ request, status, bodyBytes }) => {
    const { method, compiled, startedMs } = request;
    count({
      method: KNOWN_METHODS.has(method) ? method : 'other',
      route: compiled?.route.path ?? NO_ROUTE,
      status,
      seconds: (performance.now() - startedMs) / 1000,
      bodyBytes,
    });
  };
}

/** Returns a function that records the spans of finished requests. */
export function recordRequests(spans: SpanRecorder): (outcome: Outcome) => void {
  return ({ request, status }) => {
    const { method, compiled, startedMs, id: requestId, trace } = request;
    if (!trace.isSampled) return;
    spans.end({
      trace,
      method: KNOWN_METHODS.has(method) ? method : '_OTHER',
      route: compiled?.route.path,
      status,
      seconds: (performance.now() - startedMs) / 1000,
      requestId,
    });
  };
}

const PLAIN_ERRORS: ErrorForm = {
  contentType: 'text/plain; charset=utf-8',
  refusal: ({ kind }) => plain(kind === 'not-found' ? 404 : kind === 'method-not-allowed' ? 405 : 400),
  thrown: () => plain(500),
};

function plain(status: number): Reply {
  return plainText(`${statusLine(status)}\n`, status);
}
