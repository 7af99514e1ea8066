/** The error table of the service, and the form of its errors: JSON with a `detail`, always a string. */
import { BindingQueryInvalid } from '../../c2pa/binding-query.js';
import { contentRefusal } from '../../c2pa/content-routes.js';
import { COMMON_ERRORS, commonRefusal, errorBody } from '../../c2pa/error-detail.js';
import { HOST_INVALID } from '../../http/head/allowed-hosts.js';
import { errorTable } from '../../http/reply/error-table.js';
import { detailReply } from '../../http/routing/replies.js';
import type { Reply } from '../../http/routing/route.js';
import type { ErrorForm } from '../../http/routing/service.js';
import { BackendFailed, BackendUnavailable } from './search-backend.js';

export const ERRORS = {
  ...COMMON_ERRORS,
  HOST_REFUSED: [
    400,
    'Invalid Host: the operator can allow it with RESOLVER_PUBLIC_URL or RESOLVER_ALLOWED_HOSTS',
  ],
  UNSUPPORTED_ALGORITHM: [400, 'Unsupported alg; this service supports io.iscc.v0'],
  VALUE_TOO_LONG: [400, 'Value is longer than 4096 characters'],
  QUERY_TOO_LONG: [414, 'Value is longer than 4096 characters'],
  MANIFEST_NOT_FOUND: [404, 'C2PA Manifest not found'],
  WATCH_NOT_FOUND: [404, 'The watch does not exist'],
  ISCC_ID_NOT_FOUND: [
    404,
    'iscc: the index has no declaration with this ISCC-ID; send the ISCC-CODE instead',
  ],
  LENGTH_INVALID: [413, 'Invalid Content-Length'],
  RATE_EXCEEDED: [429, 'Rate limit exceeded'],
  SEARCH_FAILED: [500, 'Search backend unavailable'],
  SEARCH_UNAVAILABLE: [503, 'Search backend unavailable'],
  INDEX_MISSING: [503, 'The index of declarations does not exist yet; a store makes it'],
  REPOSITORY_UNAVAILABLE: [500, 'Manifest repository unavailable'],
  REPOSITORY_BUSY: [503, 'Manifest repository busy'],
  STORE_UNAVAILABLE: [503, 'Manifest store unavailable'],
  REPOSITORIES_SLOW: [503, 'The repositories of the matching manifests did not respond in time'],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof ERRORS;

const errors = errorTable(ERRORS);

/** Long enough for a restart of the search service. */
const RETRY_AFTER_SECONDS = 5;

/** The client's fault: the request is invalid or names something unknown. */
export class ResolverRefusal extends Error {
  override readonly name = 'ResolverRefusal';
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(errors.text(code));
    this.code = code;
  }
}

/** The search service refuses a watch, because of the request or of the configuration. */
export class WatchRefused extends Error {
  override readonly name = 'WatchRefused';
  readonly status: 400 | 409;

  constructor(status: 400 | 409, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** The client has checked too many files. */
export class RateExceeded extends Error {
  override readonly name = 'RateExceeded';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(errors.text('RATE_EXCEEDED'));
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The gateway of a manifest is unreachable or failed. */
export class RepositoryFailed extends Error {
  override readonly name: string = 'RepositoryFailed';
}

/** A trusted store refuses manifests for the moment because of its rate limits, or this service reads too many. */
export class RepositoryBusy extends RepositoryFailed {
  override readonly name: string = 'RepositoryBusy';
}

/** A trusted store is unreachable or failed. Unlike a gateway, it is run by this operator: a later request may succeed. */
export class StoreUnavailable extends RepositoryFailed {
  override readonly name: string = 'StoreUnavailable';
}

/** No matching manifest could be confirmed, because gateways did not respond in time. A later query may succeed. */
export class RepositoriesSlow extends Error {
  override readonly name = 'RepositoriesSlow';
}

export const errorForm: ErrorForm = {
  contentType: 'application/json',
  schema: errorBody,
  refusal: (refused) => (refused.kind === 'malformed' ? malformed(refused.message) : commonRefusal(refused)),
  thrown(error) {
    if (error instanceof BindingQueryInvalid) return detailReply(400, error.message);
    if (error instanceof WatchRefused) return detailReply(error.status, error.message);
    if (error instanceof BackendUnavailable) return retryLater(errors.reply('SEARCH_UNAVAILABLE'));
    if (error instanceof BackendFailed) return errors.reply('SEARCH_FAILED');
    if (error instanceof RepositoriesSlow) return retryLater(errors.reply('REPOSITORIES_SLOW'));
    if (error instanceof RepositoryBusy) return retryLater(errors.reply('REPOSITORY_BUSY'));
    if (error instanceof StoreUnavailable) return retryLater(errors.reply('STORE_UNAVAILABLE'));
    if (error instanceof RateExceeded)
      return retryLater(errors.reply('RATE_EXCEEDED'), error.retryAfterSeconds);
    if (error instanceof RepositoryFailed) return errors.reply('REPOSITORY_UNAVAILABLE');
    return contentRefusal(error) ?? errors.reply(error instanceof ResolverRefusal ? error.code : 'INTERNAL');
  },
};

function retryLater(reply: Reply, seconds = RETRY_AFTER_SECONDS): Reply {
  return { ...reply, headers: { ...reply.headers, 'Retry-After': String(seconds) } };
}

/** An unreadable length is reported like a missing or excessive one: 411 or 413. */
function malformed(message: string): Reply {
  if (message.includes('Transfer-Encoding')) return errors.reply('LENGTH_REQUIRED');
  if (message.includes('Content-Length')) return errors.reply('LENGTH_INVALID');
  if (message === HOST_INVALID) return errors.reply('HOST_REFUSED');
  return detailReply(400, message);
}
