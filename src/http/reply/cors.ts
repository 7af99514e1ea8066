/** CORS headers and preflights (Fetch standard). */
import type { Reply } from '../routing/route.js';
import type { CorsPolicy } from '../routing/service.js';

/** The parts of a request that CORS depends on. */
export interface CrossOriginRequest {
  readonly method: string;
  /** Scheme and host of the service as the client sees them. */
  readonly origin: string;
  header(name: string): string | undefined;
}

/** Response headers that let pages of other origins read the response; name, value, ... */
export function corsHeaders(policy: CorsPolicy, request: CrossOriginRequest): string[] {
  // A preflight response has its own headers, and pages cannot read the response to any other OPTIONS request.
  if (request.method === 'OPTIONS') return [];
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const { methods, closedMethods } = policy;
  const isOpen = closedMethods === undefined ? methods.includes(method) : !closedMethods.includes(method);
  const allowed = isOpen ? allowedOrigin(policy, request) : undefined;
  const headers: string[] = policy.origins.includes('*') ? [] : ['Vary', 'Origin'];
  if (allowed === undefined) return headers;
  headers.push('Access-Control-Allow-Origin', allowed);
  if (policy.exposedHeaders.length > 0) {
    headers.push('Access-Control-Expose-Headers', policy.exposedHeaders.join(', '));
  }
  return headers;
}

/** Whether an OPTIONS request is a preflight. */
export function isPreflight(policy: CorsPolicy, request: CrossOriginRequest): boolean {
  if (policy.closedMethods !== undefined) return true;
  return (
    request.header('origin') !== undefined && request.header('access-control-request-method') !== undefined
  );
}

/** The response to a preflight. */
export function preflightReply(policy: CorsPolicy, request: CrossOriginRequest): Reply {
  const vary = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
  const allowed = allowedOrigin(policy, request);
  if (allowed === undefined) {
    const body = { kind: 'text', text: 'Disallowed CORS origin' } as const;
    return { status: policy.refusedStatus, headers: { Vary: vary }, body };
  }
  const requested = request.header('access-control-request-headers') ?? '';
  const requestHeaders = policy.requestHeaders.includes('*') ? requested : policy.requestHeaders.join(', ');
  const headers: Record<string, string> = {
    Vary: vary,
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Allow-Methods': policy.methods.join(', '),
    'Access-Control-Max-Age': String(policy.maxAgeSeconds),
  };
  if (requestHeaders !== '') headers['Access-Control-Allow-Headers'] = requestHeaders;
  if (policy.exposedHeaders.length > 0) {
    headers['Access-Control-Expose-Headers'] = policy.exposedHeaders.join(', ');
  }
  const status = policy.preflightStatus ?? 204;
  return status === 204 ? { status, headers } : { status, headers, body: { kind: 'text', text: 'OK' } };
}

/** The value of Access-Control-Allow-Origin; `undefined` if the request's origin is not allowed. */
function allowedOrigin(policy: CorsPolicy, request: CrossOriginRequest): string | undefined {
  if (policy.origins.includes('*')) return '*';
  const origin = request.header('origin');
  if (origin === undefined) return undefined;
  return policy.origins.includes(origin) || origin === request.origin ? origin : undefined;
}
