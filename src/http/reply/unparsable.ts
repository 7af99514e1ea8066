/** Responses, in the service's form, to bytes that the transport could not parse as a request. */

import { largestBody } from '../routing/route.js';
import type { ServiceApp } from '../routing/service.js';
import type { Unparsable, UnparsableResponse } from '../transport/transport.js';
import { corsHeaders } from './cors.js';
import { refusalReply } from './error-reply.js';
import { refusalText } from './reply.js';

/** Stands in for the request when choosing CORS headers. */
const UNKNOWN_REQUEST = { method: 'GET', origin: '', header: () => undefined };

export function unparsableResponse(
  app: Pick<ServiceApp, 'errors' | 'cors' | 'responseHeaders' | 'routes'>,
  problem: Unparsable,
): UnparsableResponse {
  const refusal =
    problem.kind === 'body-too-large' ? { ...problem, bytesMax: largestBody(app.routes) } : problem;
  const reply = refusalReply(app.errors, refusal);
  const { text, contentType } = refusalText(reply);
  const headers = [
    ...['Content-Type', contentType, 'X-Content-Type-Options', 'nosniff'],
    ...Object.entries({ ...app.responseHeaders, ...reply.headers }).flatMap(([name, value]) =>
      [value].flat().flatMap((one) => [name, one]),
    ),
    ...(app.cors === undefined ? [] : corsHeaders(app.cors, UNKNOWN_REQUEST)),
  ];
  return { status: reply.status, headers, body: text };
}
