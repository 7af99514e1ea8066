/** Error responses in the service's own form. */
import { accepts } from '../head/accept.js';
import type { Reply, Request } from '../routing/route.js';
import type { ErrorForm, ErrorRenderer, Refusal, ServiceApp } from '../routing/service.js';
import { RequestRefused } from './errors.js';

/** By then other bodies have arrived and are processed. */
const MEMORY_RETRY_SECONDS = 5;

/** The parts of a service that handle errors. */
export type ErrorHandling = Pick<ServiceApp, 'errors' | 'errorReports'>;

/** The response to a thrown value. Errors that are not the client's fault are logged and reported here and only here. */
export function errorReply(
  { errors, errorReports }: ErrorHandling,
  error: unknown,
  request: Pick<Request, 'id' | 'trace' | 'log' | 'header'>,
): Reply {
  const { id, trace, log } = request;
  const form = formFor(request, errors);
  const reply = error instanceof RequestRefused ? refusalReply(form, error.refusal) : form.thrown(error, id);
  if (reply.status >= 500) {
    // 503 and 507 are states of the service, and mostly not faults.
    if (reply.status === 500 || form.isFault?.(error) === true) {
      log.error({ err: error }, 'unexpected error');
      errorReports?.report(error, { requestId: id, traceId: trace.traceId });
    } else log.warn({ err: error }, 'request not served');
  }
  return reply;
}

/** Problem details if the service has them and the client accepts them. */
function formFor(request: Pick<Request, 'header'>, form: ErrorForm): ErrorRenderer {
  const { problems } = form;
  return problems !== undefined && accepts(request.header('accept'), problems.contentType) ? problems : form;
}

/** The response to a refusal, with the headers that HTTP requires. */
export function refusalReply(form: ErrorRenderer, refusal: Refusal): Reply {
  const reply = form.refusal(refusal);
  const required = requiredHeaders(refusal, reply.status);
  return required === undefined ? reply : { ...reply, headers: { ...required, ...reply.headers } };
}

function requiredHeaders(refusal: Refusal, status: number): Record<string, string> | undefined {
  switch (refusal.kind) {
    case 'method-not-allowed':
      // A service may hide that the path exists.
      return status === 404 ? undefined : { Allow: refusal.allow.join(', ') };
    case 'memory-full':
      return { 'Retry-After': String(MEMORY_RETRY_SECONDS) };
    case 'range-unsatisfiable':
      return { 'Content-Range': `bytes */${refusal.size}` };
    default:
      return undefined;
  }
}
