/** Every error of the service, and how errors look: JSON with a `detail`, always a string. */
import { BindingQueryInvalid } from '../c2pa/binding-query.js';
import type { Reply } from '../http/route.js';
import type { ErrorForm, Refusal } from '../http/service.js';
import { errorBody } from './schema.js';
import { BackendFailed } from './search-backend.js';

export const ERRORS = {
  UNSUPPORTED_ALGORITHM: [400, 'Unsupported alg; this service supports io.iscc.v0'],
  VALUE_TOO_LONG: [400, 'Value is longer than 4096 characters'],
  MALFORMED: [400, 'Bad request'],
  NOT_FOUND: [404, 'Not found'],
  MANIFEST_NOT_FOUND: [404, 'C2PA Manifest not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  LENGTH_REQUIRED: [411, 'Content-Length required'],
  BODY_TOO_LARGE: [413, 'Request body too large'],
  LENGTH_INVALID: [413, 'Invalid Content-Length'],
  RANGE_UNSATISFIABLE: [416, 'Range not satisfiable'],
  SEARCH_UNAVAILABLE: [500, 'Search backend unavailable'],
  REPOSITORY_UNAVAILABLE: [500, 'Manifest repository unavailable'],
  INTERNAL: [500, 'Internal error'],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** The request can't be done, and the client can tell why. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(ERRORS[code][1]);
    this.code = code;
  }
}

/** A manifest's repository did not answer. */
export class RepositoryFailed extends Error {
  override readonly name = 'RepositoryFailed';
}

export const errorForm: ErrorForm = {
  contentType: 'application/json',
  schema: errorBody,
  refusal,
  thrown(error) {
    if (error instanceof BindingQueryInvalid) return reply(400, error.message);
    if (error instanceof BackendFailed) return table('SEARCH_UNAVAILABLE');
    if (error instanceof RepositoryFailed) return table('REPOSITORY_UNAVAILABLE');
    return error instanceof Refused ? table(error.code) : table('INTERNAL');
  },
};

function refusal(refused: Refusal): Reply {
  switch (refused.kind) {
    case 'not-found':
      return table('NOT_FOUND');
    case 'method-not-allowed':
      return table('METHOD_NOT_ALLOWED');
    case 'invalid':
      return reply(400, refused.violations[0]?.message ?? ERRORS.MALFORMED[1]);
    case 'body-too-large':
      return table('BODY_TOO_LARGE');
    case 'length-required':
      return table('LENGTH_REQUIRED');
    case 'range-unsatisfiable':
      return table('RANGE_UNSATISFIABLE');
    case 'malformed':
      return malformed(refused.message);
    // No route asks the layer for JSON or a media type.
    case 'body-not-json':
    case 'body-empty':
    case 'media-type':
      return table('MALFORMED');
    default:
      return refused satisfies never;
  }
}

/** Lengths that can't be read count as none or as too large ones, like those that can. */
function malformed(message: string): Reply {
  if (message.includes('Transfer-Encoding')) return table('LENGTH_REQUIRED');
  if (message.includes('Content-Length')) return table('LENGTH_INVALID');
  return reply(400, message);
}

function table(code: ErrorCode): Reply {
  const [status, detail] = ERRORS[code];
  return reply(status, detail);
}

function reply(status: number, detail: string): Reply {
  return { status, body: { kind: 'json', value: { detail } } };
}
