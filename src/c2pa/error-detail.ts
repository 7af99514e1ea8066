/** How the services of the C2PA word errors: JSON with a `detail`, always a string. */
import { z } from 'zod';
import type { Reply } from '../http/routing/route.js';
import type { Refusal } from '../http/routing/service.js';

/** What both services say alike. */
export const COMMON_ERRORS = {
  BAD_REQUEST: [400, 'Bad request'],
  BODY_NOT_JSON: [400, 'Invalid JSON body'],
  BODY_EMPTY: [400, 'Request body is empty'],
  NOT_FOUND: [404, 'Not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  LENGTH_REQUIRED: [411, 'Content-Length required'],
  BODY_TOO_LARGE: [413, 'Request body too large'],
  MEDIA_TYPE: [415, 'Unsupported media type'],
  RANGE_UNSATISFIABLE: [416, 'Range not satisfiable'],
  INTERNAL: [500, 'Internal error'],
} as const satisfies Record<string, readonly [status: number, detail: string]>;

export const errorBody = z.object({ detail: z.string() }).meta({ id: 'Error' });

/** @param entry of an error table */
export function errorReply([status, detail]: readonly [status: number, detail: string]): Reply {
  return { status, body: { kind: 'json', value: { detail } } };
}

/** The answer to what the HTTP layer refuses, unless a service has words of its own. */
export function commonRefusal(refused: Refusal): Reply {
  switch (refused.kind) {
    case 'malformed':
      return errorReply([400, refused.message]);
    case 'invalid':
      return errorReply([400, refused.violations[0]?.message ?? COMMON_ERRORS.BAD_REQUEST[1]]);
    case 'body-not-json':
      return errorReply(COMMON_ERRORS.BODY_NOT_JSON);
    case 'body-empty':
      return errorReply(COMMON_ERRORS.BODY_EMPTY);
    case 'not-found':
      return errorReply(COMMON_ERRORS.NOT_FOUND);
    case 'method-not-allowed':
      return errorReply(COMMON_ERRORS.METHOD_NOT_ALLOWED);
    case 'length-required':
      return errorReply(COMMON_ERRORS.LENGTH_REQUIRED);
    case 'body-too-large':
      return errorReply(COMMON_ERRORS.BODY_TOO_LARGE);
    case 'media-type':
      return errorReply(COMMON_ERRORS.MEDIA_TYPE);
    case 'range-unsatisfiable':
      return errorReply(COMMON_ERRORS.RANGE_UNSATISFIABLE);
    default:
      return refused satisfies never;
  }
}
