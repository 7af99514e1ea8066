/** Health probes for orchestrators, the same in every service. */
import { z } from 'zod';
import { json } from './replies.js';
import { type Route, route } from './route.js';
import type { Readiness, ServiceApp } from './service.js';

const LIVENESS = '/healthz';
const READINESS = '/readyz';

/** Whether load balancers probe this path, also by the address of an instance. Its responses do not depend on the host. */
export function isProbe(path: string): boolean {
  return path === LIVENESS || path === READINESS;
}

/** `/healthz`, and `/readyz` for services that report readiness. */
export function healthRoutes(app: ServiceApp): Route[] {
  const readiness = app.readiness?.bind(app);
  return readiness === undefined ? [liveness()] : [liveness(), ready(readiness)];
}

/** Both members of what a service reports. */
export function readinessOf(found: Readiness): Exclude<Readiness, string | undefined> {
  return typeof found === 'object' ? found : { reason: found, details: {} };
}

function liveness(): Route {
  return route({
    method: 'GET',
    path: LIVENESS,
    operationId: 'liveness',
    summary: 'Liveness probe',
    tags: ['probes'],
    responses: {
      200: { description: 'The process is alive.', schema: z.object({ status: z.literal('ok') }) },
    },
    handler: () => json({ status: 'ok' }),
  });
}

function ready(readiness: () => Readiness | Promise<Readiness>): Route {
  return route({
    method: 'GET',
    path: READINESS,
    operationId: 'readiness',
    summary: 'Readiness probe',
    tags: ['probes'],
    responses: {
      200: { description: 'The service is ready.', schema: z.looseObject({ status: z.literal('ready') }) },
      503: {
        description: 'The service is not ready.',
        schema: z.looseObject({ status: z.literal('not_ready'), reason: z.string() }),
      },
    },
    handler: async () => {
      const { reason, details } = readinessOf(await readiness());
      if (reason === undefined) return json({ status: 'ready', ...details });
      return json({ status: 'not_ready', reason, ...details }, 503);
    },
  });
}
