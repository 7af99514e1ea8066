/** All errors of the service, and their form: JSON with a `detail`, always a string. */
import { BindingQueryInvalid } from '../c2pa/binding-query.js';
import { COMMON_ERRORS, commonRefusal, errorBody } from '../c2pa/error-detail.js';
import { errorTable } from '../http/reply/error-table.js';
import { detailReply } from '../http/reply/replies.js';
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

const errors = errorTable(ERRORS);

/** Rejects the request with an error of the table. */
export class ResolverRefusal extends Error {
  override readonly name = 'ResolverRefusal';
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(errors.text(code));
    this.code = code;
  }
}

/** The repository of a manifest is unreachable or failed. */
export class RepositoryFailed extends Error {
  override readonly name = 'RepositoryFailed';
}

export const errorForm: ErrorForm = {
  contentType: 'application/json',
  schema: errorBody,
  refusal: (refused) => (refused.kind === 'malformed' ? malformed(refused.message) : commonRefusal(refused)),
  thrown(error) {
    if (error instanceof BindingQueryInvalid) return detailReply(400, error.message);
    if (error instanceof BackendFailed) return errors.reply('SEARCH_UNAVAILABLE');
    if (error instanceof RepositoryFailed) return errors.reply('REPOSITORY_UNAVAILABLE');
    return errors.reply(error instanceof ResolverRefusal ? error.code : 'INTERNAL');
  },
};

/** A malformed body length gets the same status as a missing or too large one: 411 or 413, not 400. */
function malformed(message: string): Reply {
  if (message.includes('Transfer-Encoding')) return errors.reply('LENGTH_REQUIRED');
  if (message.includes('Content-Length')) return errors.reply('LENGTH_INVALID');
  return detailReply(400, message);
}
