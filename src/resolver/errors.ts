/** Every error of the service, and how errors look: JSON with a `detail`, always a string. */
import { BindingQueryInvalid } from '../c2pa/binding-query.js';
import { COMMON_ERRORS, commonRefusal, errorBody, errorReply } from '../c2pa/error-detail.js';
import type { Reply } from '../http/routing/route.js';
import type { ErrorForm } from '../http/routing/service.js';
import { BackendFailed } from './search-backend.js';

export const ERRORS = {
  ...COMMON_ERRORS,
  UNSUPPORTED_ALGORITHM: [400, 'Unsupported alg; this service supports io.iscc.v0'],
  VALUE_TOO_LONG: [400, 'Value is longer than 4096 characters'],
  MANIFEST_NOT_FOUND: [404, 'C2PA Manifest not found'],
  LENGTH_INVALID: [413, 'Invalid Content-Length'],
  SEARCH_UNAVAILABLE: [500, 'Search backend unavailable'],
  REPOSITORY_UNAVAILABLE: [500, 'Manifest repository unavailable'],
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
  refusal: (refused) => (refused.kind === 'malformed' ? malformed(refused.message) : commonRefusal(refused)),
  thrown(error) {
    if (error instanceof BindingQueryInvalid) return errorReply([400, error.message]);
    if (error instanceof BackendFailed) return errorReply(ERRORS.SEARCH_UNAVAILABLE);
    if (error instanceof RepositoryFailed) return errorReply(ERRORS.REPOSITORY_UNAVAILABLE);
    return errorReply(error instanceof Refused ? ERRORS[error.code] : ERRORS.INTERNAL);
  },
};

/** Lengths that can't be read count as none or as too large ones, like those that can. */
function malformed(message: string): Reply {
  if (message.includes('Transfer-Encoding')) return errorReply(ERRORS.LENGTH_REQUIRED);
  if (message.includes('Content-Length')) return errorReply(ERRORS.LENGTH_INVALID);
  return errorReply([400, message]);
}
