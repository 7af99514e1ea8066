/** All errors of the service, and their form: JSON with a `detail`. */
import { type ErrorDetails, errorTable } from '../../http/reply/error-table.js';
import { detailReply } from '../../http/routing/replies.js';
import type { Reply } from '../../http/routing/route.js';
import type { ErrorForm, Refusal } from '../../http/routing/service.js';
import { isNativeError, type NativeErrorCode } from '../../native.js';
import { StorageUnavailable } from '../../storage/data/unavailable.js';
import { FolderGone } from './engine/folder-guard.js';
import { type Issue, issueOf, withShortEchoes } from './issues.js';
import { errorBody } from './schema.js';
import { NotDecodable } from './transfer/decode.js';

export const ERRORS = {
  UNAUTHORIZED: [401, 'Unauthorized'],
  FORBIDDEN: [
    403,
    "The API key lacks the right '{right}' for {subject}; an operator can make another one with isccd index key create",
  ],
  NOT_FOUND: [404, 'Not Found'],
  NO_WATCH: [404, "The index has no watch '{id}'"],
  WATCHES_FULL: [
    409,
    'The index has {max} watches (INDEXSVC_WATCHES_MAX); delete one of them first, or ask the operator for more',
  ],
  WATCH_TOO_LARGE: [400, 'The watch is larger than {max} bytes; send fewer simprints'],
  WEBHOOKS_OFF: [
    400,
    'webhook: the operator must set INDEXSVC_WEBHOOK_KEY first; without a webhook, a watch has a stream of events',
  ],
  UNWATCHED: [400, 'Indexes in {place} cannot be watched; use a folder (usearch://) or PostgreSQL'],
  GUARD_OFF: [409, 'The flood guard is off; the operator can switch it on with INDEXSVC_FLOOD_GUARD'],
  NOT_QUARANTINED: [404, "The index has no unit '{unit}' that was set aside"],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed'],
  LENGTH_REQUIRED: [411, 'Length Required'],
  OTHER_CONTENT: [
    412,
    'Precondition Failed: the content has another ETag than If-Match names; fetch it again',
  ],
  BODY_TOO_LARGE: [413, 'Request body is larger than {max} bytes (INDEXSVC_MAX_BODY)'],
  URL_TOO_LONG: [414, 'URI Too Long: send long values with POST'],
  RANGE_UNSATISFIABLE: [416, 'Range Not Satisfiable'],
  MALFORMED: [400, 'Bad Request: {reason}'],
  UNKNOWN_CODING: [415, 'Content-Encoding must be gzip, zstd or identity'],
  INTERNAL: [500, 'Internal Server Error'],
  MEMORY_FULL: [503, 'Too many large request bodies are in memory; try again later, or send smaller batches'],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof ERRORS;

const errors = errorTable(ERRORS);

/** Engine errors that clients may see. Every other one is a fault: 500 with a generic text, logged and reported. */
const ENGINE_STATUSES: Partial<Record<NativeErrorCode, number>> = {
  INVALID_ARGUMENT: 400,
  READ_ONLY: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  SCHEMA_VIOLATION: 422,
  BUSY: 503,
  LOADING: 503,
  INDEX_DAMAGED: 503,
  DATA_DAMAGED: 503,
  STORAGE_FULL: 507,
};

/** When to try again, in seconds, after a 503. */
const RETRY_SECONDS: Partial<Record<NativeErrorCode, number>> = {
  BUSY: 1,
  LOADING: 2,
  INDEX_DAMAGED: 60,
  DATA_DAMAGED: 60,
};

const GONE_RETRY_SECONDS = 60;

/** The response to a failed call of the engine. */
export interface EngineFailure {
  readonly status: number;
  /** For 503. */
  readonly retrySeconds?: number | undefined;
  /** JSON: a sentence, or a list of schema violations. */
  readonly detail: string;
}

const DATABASE_AWAY: EngineFailure = {
  status: 503,
  retrySeconds: 2,
  detail: JSON.stringify('The database of the indexes is unavailable'),
};

/** The response to an error that the engine threw. `undefined` for faults and for errors from elsewhere. */
export function engineFailure(error: unknown): EngineFailure | undefined {
  if (error instanceof StorageUnavailable) return DATABASE_AWAY;
  if (error instanceof FolderGone)
    return { status: 503, retrySeconds: GONE_RETRY_SECONDS, detail: JSON.stringify(error.message) };
  if (!isNativeError(error)) return undefined;
  const status = ENGINE_STATUSES[error.code];
  if (status === undefined) return undefined;
  const detail = error.detail ?? JSON.stringify(error.message);
  return { status, retrySeconds: RETRY_SECONDS[error.code], detail };
}

/** Whether the engine may respond to the same call later: what makes a client try again after a 503. */
export function isTransient(error: unknown): boolean {
  return engineFailure(error)?.retrySeconds !== undefined;
}

/** Rejects the request with an error of the table. */
export class SearchRefusal extends Error {
  override readonly name = 'SearchRefusal';
  readonly code: ErrorCode;

  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(errors.text(code, details));
    this.code = code;
    this.details = details;
  }
}

/** The request violates the schema: 422. */
export class Invalid extends Error {
  override readonly name = 'Invalid';
  readonly issues: readonly Issue[];

  constructor(...issues: readonly Issue[]) {
    super(issues.map(({ msg }) => msg).join('; '));
    this.issues = issues;
  }
}

/** Paths that redirect to the same path without the final slash. A fixed list prevents open redirects. */
const SLASHED =
  /^\/(?:indexes(?:\/[^/]+(?:\/(?:assets|search|searches|rename|watches|quarantine)|\/assets\/[^/]+|\/watches\/[^/]+(?:\/events)?|\/quarantine\/[^/]+)?)?|aliases(?:\/[^/]+)?|status|healthz|readyz|docs)\/$/;

const CONTENT_TYPE = 'application/json';

export const errorForm: ErrorForm = {
  contentType: CONTENT_TYPE,
  schema: errorBody,
  refusal,
  isFault: (error) => isNativeError(error, 'DATA_DAMAGED'),
  thrown(error) {
    if (error instanceof NotDecodable) return detailReply(400, error.message);
    if (error instanceof Invalid) return detailReply(422, withShortEchoes(error.issues));
    const failure = engineFailure(error);
    if (failure !== undefined) return engineReply(failure);
    if (error instanceof SearchRefusal) return errors.reply(error.code, error.details);
    return errors.reply('INTERNAL');
  },
};

/**
 * The form for a service that serves one index of the network only: a route with another method does not exist, so that it
 * looks like an unknown path.
 */
export const exclusiveErrorForm: ErrorForm = {
  ...errorForm,
  refusal: (refused) =>
    refused.kind === 'method-not-allowed' ? errors.reply('NOT_FOUND') : refusal(refused),
};

/** The response to a failed call of the engine. */
export function engineReply({ status, retrySeconds, detail }: EngineFailure): Reply {
  const headers = retrySeconds === undefined ? {} : { 'Retry-After': String(retrySeconds) };
  return { status, headers, body: { kind: 'text', text: `{"detail":${detail}}`, contentType: CONTENT_TYPE } };
}

function withoutSlash(path: string, query = ''): Reply {
  const search = query === '' ? '' : `?${query}`;
  return { status: 307, headers: { Location: path.slice(0, -1) + search } };
}

function refusal(refused: Refusal): Reply {
  switch (refused.kind) {
    case 'not-found':
      if (SLASHED.test(refused.path)) return withoutSlash(refused.path, refused.query);
      return errors.reply('NOT_FOUND');
    case 'method-not-allowed':
      return errors.reply('METHOD_NOT_ALLOWED');
    case 'invalid':
      return detailReply(422, withShortEchoes(refused.violations.map(issueOf)));
    case 'body-too-large':
      return errors.reply('BODY_TOO_LARGE', { max: refused.bytesMax });
    case 'target-too-long':
      return errors.reply('URL_TOO_LONG');
    case 'length-required':
      return errors.reply('LENGTH_REQUIRED');
    case 'memory-full':
      return errors.reply('MEMORY_FULL');
    case 'precondition-failed':
      return errors.reply('OTHER_CONTENT');
    case 'range-unsatisfiable':
      return errors.reply('RANGE_UNSATISFIABLE');
    case 'malformed':
      return errors.reply('MALFORMED', { reason: refused.message });
    case 'body-not-json':
      return errors.reply('MALFORMED', { reason: `the body is not JSON: ${refused.message}` });
    case 'body-empty':
      return errors.reply('MALFORMED', { reason: 'the body is empty; it must be JSON' });
    case 'media-type':
      return errors.reply('MALFORMED', { reason: `the body must be ${refused.accepted.join(' or ')}` });
    default:
      return refused satisfies never;
  }
}
