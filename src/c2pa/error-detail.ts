/** Errors of the C2PA services: JSON with a `detail`, always a string. */
import { z } from 'zod';
import { errorTable } from '../http/reply/error-table.js';
import { detailReply } from '../http/routing/replies.js';
import type { Reply } from '../http/routing/route.js';
import type { Refusal } from '../http/routing/service.js';

/** Errors that both services share. */
export const COMMON_ERRORS = {
  BAD_REQUEST: [400, 'Bad request'],
  BODY_NOT_JSON: [400, 'Invalid JSON body'],
  BODY_EMPTY: [400, 'Request body is empty'],
  NOT_FOUND: [404, 'Not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  LENGTH_REQUIRED: [411, 'Content-Length required'],
  OTHER_BYTES: [
    412,
    'The stored bytes have another ETag than If-Match names; fetch the manifest again, or omit If-Match',
  ],
  BODY_TOO_LARGE: [413, 'Request body too large'],
  URL_TOO_LONG: [414, 'The URL is too long; send long values with POST'],
  MEDIA_TYPE: [415, 'Unsupported media type'],
  RANGE_UNSATISFIABLE: [416, 'Range not satisfiable'],
  INTERNAL: [500, 'Internal error'],
  MEMORY_FULL: [503, 'Too many large request bodies are in memory; try again later'],
} as const satisfies Record<string, readonly [status: number, detail: string]>;

export const errorBody = z.object({ detail: z.string() }).meta({ id: 'Error' });

const errors = errorTable(COMMON_ERRORS);

/** The response to a refusal of the HTTP layer, unless the service has its own. */
export function commonRefusal(refused: Refusal): Reply {
  switch (refused.kind) {
    case 'malformed':
      return detailReply(400, refused.message);
    case 'invalid':
      return detailReply(400, refused.violations[0]?.message ?? errors.text('BAD_REQUEST'));
    case 'body-not-json':
      return errors.reply('BODY_NOT_JSON');
    case 'body-empty':
      return errors.reply('BODY_EMPTY');
    case 'target-too-long':
      return errors.reply('URL_TOO_LONG');
    case 'not-found':
      return errors.reply('NOT_FOUND');
    case 'method-not-allowed':
      return errors.reply('METHOD_NOT_ALLOWED');
    case 'length-required':
      return errors.reply('LENGTH_REQUIRED');
    case 'body-too-large':
      return errors.reply('BODY_TOO_LARGE');
    case 'memory-full':
      return errors.reply('MEMORY_FULL');
    case 'media-type':
      return errors.reply('MEDIA_TYPE');
    case 'precondition-failed':
      return errors.reply('OTHER_BYTES');
    case 'range-unsatisfiable':
      return errors.reply('RANGE_UNSATISFIABLE');
    default:
      return refused satisfies never;
  }
}
