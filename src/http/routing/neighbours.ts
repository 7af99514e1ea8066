/** Services whose pages use each other, so that they form one console. */
import type { RequestHeaders } from '../head/head.js';
import type { Origins } from './route.js';
import type { CorsPolicy } from './service.js';

export interface Neighbours {
  /** Origins of the other services, as the browser that sent these headers reaches them; empty if unknown. */
  origins(headers: RequestHeaders): Origins;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];
const MAX_AGE_SECONDS = 600;

/** The method of a request, or the one that a preflight announces. */
function announcedMethod(method: string, header: (name: string) => string | undefined): string {
  return method === 'OPTIONS' ? (header('access-control-request-method') ?? '') : method;
}

/** The policy for a request from the page of a neighbour; `undefined` if it is not one, or its method is not for pages. */
export function neighbourPolicy(
  neighbours: Neighbours,
  { method, headers }: { readonly method: string; readonly headers: RequestHeaders },
): CorsPolicy | undefined {
  const origin = headers.get('origin');
  if (origin === undefined) return undefined;
  if (!METHODS.includes(announcedMethod(method, (name) => headers.get(name)))) return undefined;
  if (!Object.values(neighbours.origins(headers)).includes(origin)) return undefined;
  return {
    origins: [origin],
    methods: METHODS,
    requestHeaders: ['*'],
    exposedHeaders: ['Content-Disposition', 'Location', 'Retry-After', 'Server-Timing', 'X-Request-Id'],
    maxAgeSeconds: MAX_AGE_SECONDS,
    refusedStatus: 400,
  };
}
