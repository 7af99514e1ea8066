/** `/metrics`, and the requests that are counted for it. */
import type { Metrics } from '../observe/metrics.js';
import type { Outcome } from './dispatcher.js';
import type { Route } from './route.js';

/** Stands for the path of requests that no route takes: paths that clients make up must not become labels. */
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

export function metricsRoute(metrics: Metrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    operationId: 'metrics',
    summary: 'Figures for Prometheus',
    hidden: true,
    responses: {},
    handler: async () => {
      const { text, contentType } = await metrics.exposition();
      return { status: 200, body: { kind: 'text', text, contentType } };
    },
  };
}

/** Counts a request when it is over. */
export function countRequests(metrics: Metrics): (outcome: Outcome) => void {
  return ({ request, status, bodyBytes }) => {
    const { method, compiled, startedMs } = request;
    metrics.request({
      method: KNOWN_METHODS.has(method) ? method : 'other',
      route: compiled?.route.path ?? NO_ROUTE,
      status,
      seconds: (performance.now() - startedMs) / 1000,
      bodyBytes,
    });
  };
}
