/** Every error of the store, and how errors look: JSON with a `detail`. */
import { BindingQueryInvalid } from '../c2pa/binding-query.js';
import type { Reply } from '../http/route.js';
import type { ErrorForm, Refusal } from '../http/service.js';
import { errorBody } from './schema.js';

export const ERRORS = {
  BAD_REQUEST: [400, 'Bad Request'],
  ALGORITHM_UNKNOWN: [400, 'Unknown soft binding algorithm'],
  UNAUTHORIZED: [401, 'Invalid or missing operator token'],
  NOT_FOUND: [404, 'Not found'],
  MANIFEST_NOT_FOUND: [404, 'Manifest not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  ID_IN_USE: [409, 'Manifest ID is already in use by a different manifest'],
  ID_DELETED: [409, 'Manifest ID belongs to a deleted manifest'],
  MANIFEST_DELETED: [410, 'Manifest was deleted'],
  LENGTH_REQUIRED: [411, 'Content-Length required'],
  BODY_TOO_LARGE: [413, 'Request body too large'],
  MEDIA_TYPE: [415, 'Content-Type must be application/c2pa'],
  RANGE_UNSATISFIABLE: [416, 'Range not satisfiable'],
  RATE_EXCEEDED: [429, 'Rate limit exceeded'],
  INTERNAL: [500, 'Internal error'],
  BUSY: [503, 'Too many requests are waiting'],
  OVERDUE: [503, 'The manifest takes too long to check'],
} as const satisfies Record<string, readonly [status: number, detail: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** The request can't be done, and the client can tell why. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  /** Instead of the table's text. */
  readonly detail: string;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, options: { detail?: string; retryAfter?: number } = {}) {
    super(options.detail ?? ERRORS[code][1]);
    this.code = code;
    this.detail = this.message;
    this.retryAfter = options.retryAfter;
  }
}

/** The upload is no acceptable Manifest Store; `code` is of the C2PA or `manifest.*`. */
export class ManifestRefused extends Error {
  override readonly name = 'ManifestRefused';
  readonly code: string;

  constructor(code: string, text: string) {
    super(`Manifest Store refused: ${text}`);
    this.code = code;
  }
}

/** @param debug whether unexpected errors tell what happened */
export function errorForm(debug: boolean): ErrorForm {
  return {
    contentType: 'application/json',
    schema: errorBody,
    refusal,
    thrown(error) {
      if (error instanceof Refused) return refusedReply(error);
      if (error instanceof ManifestRefused) {
        return { ...json(400, { detail: error.message, code: error.code }) };
      }
      if (error instanceof BindingQueryInvalid) return json(400, { detail: error.message });
      return debug && error instanceof Error ? json(500, { detail: error.message }) : table('INTERNAL');
    },
  };
}

function refusal(refused: Refusal): Reply {
  switch (refused.kind) {
    case 'not-found':
      return table('NOT_FOUND');
    case 'method-not-allowed':
      return table('METHOD_NOT_ALLOWED');
    case 'invalid':
      return json(400, { detail: refused.violations[0]?.message ?? ERRORS.BAD_REQUEST[1] });
    case 'malformed':
      return json(400, { detail: refused.message });
    case 'body-not-json':
      return json(400, { detail: 'Invalid JSON body' });
    // Only uploads have to have a body.
    case 'body-empty':
      return json(400, { detail: 'Manifest Store refused: the body is empty', code: 'manifest.unreadable' });
    case 'body-too-large':
      return table('BODY_TOO_LARGE');
    case 'length-required':
      return table('LENGTH_REQUIRED');
    case 'media-type':
      return table('MEDIA_TYPE');
    case 'range-unsatisfiable':
      return table('RANGE_UNSATISFIABLE');
    default:
      return refused satisfies never;
  }
}

function refusedReply({ code, detail, retryAfter }: Refused): Reply {
  const reply = json(ERRORS[code][0], { detail });
  if (code === 'UNAUTHORIZED') return { ...reply, headers: { 'WWW-Authenticate': 'Bearer' } };
  return retryAfter === undefined ? reply : { ...reply, headers: { 'Retry-After': String(retryAfter) } };
}

function table(code: ErrorCode): Reply {
  const [status, detail] = ERRORS[code];
  return json(status, { detail });
}

function json(status: number, value: { detail: string; code?: string }): Reply {
  return { status, body: { kind: 'json', value } };
}
