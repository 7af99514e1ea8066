/** Answers to what went wrong, in the service's own form. */

import type { Reply, Request } from '../routing/route.js';
import type { ErrorForm, Refusal, ServiceApp } from '../routing/service.js';
import { RequestRefused } from './errors.js';

/** The part of a service that errors concern. */
export type ErrorTaker = Pick<ServiceApp, 'errors' | 'errorReports'>;

/** Words a thrown value. What is not the client's fault is logged and reported here, and only here. */
export function errorReply(
  { errors: form, errorReports }: ErrorTaker,
  error: unknown,
  { id, trace, log }: Pick<Request, 'id' | 'trace' | 'log'>,
): Reply {
  const reply = error instanceof RequestRefused ? refusalReply(form, error.refusal) : form.thrown(error, id);
  if (reply.status >= 500) {
    // 503, 507: a state of the service, not a fault in it.
    if (reply.status === 500) {
      log.error({ err: error }, 'unexpected error');
      errorReports?.report(error, { requestId: id, traceId: trace.traceId });
    } else log.warn({ err: error }, 'request not served');
  }
  return reply;
}

/** A refusal with the headers that HTTP demands for it. */
export function refusalReply(form: ErrorForm, refusal: Refusal): Reply {
  const reply = form.refusal(refusal);
  const demanded = demandedHeaders(refusal);
  return demanded === undefined ? reply : { ...reply, headers: { ...demanded, ...reply.headers } };
}

function demandedHeaders(refusal: Refusal): Record<string, string> | undefined {
  switch (refusal.kind) {
    case 'method-not-allowed':
      return { Allow: refusal.allow.join(', ') };
    case 'range-unsatisfiable':
      return { 'Content-Range': `bytes */${refusal.size}` };
    default:
      return undefined;
  }
}
