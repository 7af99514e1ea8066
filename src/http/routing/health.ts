/** Probes for orchestrators, the same in every service. */
import { z } from 'zod';
import { type Route, route } from './route.js';
import type { ServiceApp } from './service.js';

/** `/healthz`, and `/readyz` where the service can tell whether it is ready. */
export function healthRoutes(app: ServiceApp): Route[] {
  const readiness = app.readiness?.bind(app);
  return readiness === undefined ? [liveness()] : [liveness(), ready(readiness)];
}

function liveness(): Route {
  return route({
    method: 'GET',
    path: '/healthz',
    operationId: 'liveness',
    summary: 'Liveness probe',
    tags: ['probes'],
    responses: {
      200: { description: 'The process is alive.', schema: z.object({ status: z.literal('ok') }) },
    },
    handler: () => ({ status: 200, body: { kind: 'json', value: { status: 'ok' } } }),
  });
}

function ready(readiness: () => string | undefined | Promise<string | undefined>): Route {
  return route({
    method: 'GET',
    path: '/readyz',
    operationId: 'readiness',
    summary: 'Readiness probe',
    tags: ['probes'],
    responses: {
      200: { description: 'The service can work.', schema: z.object({ status: z.literal('ready') }) },
      503: {
        description: 'The service can not work yet.',
        schema: z.object({ status: z.literal('not_ready'), reason: z.string() }),
      },
    },
    handler: async () => {
      const reason = await readiness();
      if (reason === undefined) return { status: 200, body: { kind: 'json', value: { status: 'ready' } } };
      return { status: 503, body: { kind: 'json', value: { status: 'not_ready', reason } } };
    },
  });
}
