/** Answers to what a transport could not read as a request, in the service's form, though nothing is known of it. */

import type { ServiceApp } from '../routing/service.js';
import type { UnreadableAnswer } from '../transport/transport.js';
import { corsHeaders } from './cors.js';
import { refusalReply } from './error-reply.js';
import { refusalText } from './reply.js';

/** As far as CORS goes: who it was from is not known. */
const NOBODY = { method: 'GET', origin: '', header: () => undefined };

/** @param message which of HTTP's rules is broken */
export function unreadableAnswer(
  app: Pick<ServiceApp, 'errors' | 'cors' | 'answerHeaders'>,
  message: string,
): UnreadableAnswer {
  const reply = refusalReply(app.errors, { kind: 'malformed', message });
  const { text, contentType } = refusalText(reply);
  const headers = [
    ...['Content-Type', contentType, 'X-Content-Type-Options', 'nosniff'],
    ...Object.entries({ ...app.answerHeaders, ...reply.headers }).flatMap(([name, value]) =>
      [value].flat().flatMap((one) => [name, one]),
    ),
    ...(app.cors === undefined ? [] : corsHeaders(app.cors, NOBODY)),
  ];
  return { status: reply.status, headers, body: text };
}
