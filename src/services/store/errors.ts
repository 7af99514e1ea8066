/** All errors of the store, and their JSON form with a `detail`. */
import { BindingQueryInvalid } from '../../c2pa/binding-query.js';
import { contentRefusal } from '../../c2pa/content-routes.js';
import { COMMON_ERRORS, commonRefusal } from '../../c2pa/error-detail.js';
import { errorTable } from '../../http/reply/error-table.js';
import { detailReply, json } from '../../http/routing/replies.js';
import type { Reply } from '../../http/routing/route.js';
import type { ErrorForm, Refusal } from '../../http/routing/service.js';
import { BlobVanished } from '../../storage/blobs/port.js';
import { saysFull } from '../../storage/data/full.js';
import { isOutOfFiles, StorageUnavailable } from '../../storage/data/unavailable.js';
import { isUnavailable, UNAVAILABLE_RETRY_SECONDS } from '../../storage/database/unavailable.js';
import { errorBody, MANIFEST_TYPE } from './schema.js';

export const ERRORS = {
  ...COMMON_ERRORS,
  ALGORITHM_UNKNOWN: [400, 'Unknown soft binding algorithm'],
  UNAUTHORIZED: [401, 'Invalid or missing operator token'],
  TOKEN_INVALID: [401, 'Invalid or missing upload token'],
  SCOPE_MISSING: [403, 'The upload token lacks a scope'],
  NOT_OWNER: [403, 'The manifest belongs to another publisher'],
  MANIFEST_NOT_FOUND: [404, 'Manifest not found'],
  BINDING_NOT_FOUND: [404, 'The value was added to no stored manifest; POST binds it to one'],
  NO_THUMBNAIL: [404, 'The manifest has no thumbnail'],
  NO_DETAILS: [
    404,
    'The manifest has no detailed form: it is too large or nested too deeply; fetch its bytes',
  ],
  NO_RECEIPTS: [404, 'The store issues no receipts: it has no key (MSTORE_SECKEY)'],
  NO_LOG: [404, 'The store signs no log: it has no key (MSTORE_SECKEY)'],
  ID_IN_USE: [409, 'Manifest ID is already in use by a different manifest'],
  ID_DELETED: [409, 'Manifest ID belongs to a deleted manifest'],
  MANIFEST_DELETED: [410, 'Manifest was deleted'],
  QUERY_TOO_LONG: [414, 'Value is longer than 4096 characters; send it with POST'],
  RATE_EXCEEDED: [429, 'Rate limit exceeded'],
  BUSY: [503, 'Too many requests are waiting'],
  MANIFEST_DAMAGED: [
    503,
    'The stored file of the manifest is damaged; upload the same bytes again, or restore it from a backup',
  ],
  FILES_EXHAUSTED: [503, 'Too many files and connections are open'],
  STORAGE_FULL: [507, 'No space left to store the manifest'],
  OVERDUE: [503, 'The manifest takes too long to check'],
  DATABASE_UNAVAILABLE: [503, 'The database is unavailable'],
  STORAGE_UNAVAILABLE: [503, 'The storage of manifests is unavailable'],
} as const satisfies Record<string, readonly [status: number, detail: string]>;

export type ErrorCode = keyof typeof ERRORS;

const errors = errorTable(ERRORS);

/** The store refuses the request. `detail` goes to the client. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
  readonly code: ErrorCode;
  /** Replaces the text in the table. */
  readonly detail: string;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, options: { detail?: string; retryAfter?: number } = {}) {
    super(options.detail ?? errors.text(code));
    this.code = code;
    this.detail = this.message;
    this.retryAfter = options.retryAfter;
  }
}

/** The upload is not an acceptable Manifest Store. `code` is a C2PA status code or `manifest.*`. */
export class ManifestRefused extends Error {
  override readonly name = 'ManifestRefused';
  readonly code: string;

  constructor(code: string, text: string) {
    super(`Manifest Store refused: ${text}`);
    this.code = code;
  }
}

/** @param debug whether responses contain the message of an unexpected error */
export function errorForm(debug: boolean): ErrorForm {
  return {
    contentType: 'application/json',
    schema: errorBody,
    refusal,
    thrown(error) {
      if (error instanceof StoreRefusal) return refusedReply(error);
      if (error instanceof ManifestRefused) return manifestReply(error.message, error.code);
      if (error instanceof BindingQueryInvalid) return detailReply(400, error.message);
      const refused = contentRefusal(error);
      if (refused !== undefined) return refused;
      if (saysFull(error)) return errors.reply('STORAGE_FULL');
      if (isUnavailable(error)) {
        return refusedReply(
          new StoreRefusal('DATABASE_UNAVAILABLE', { retryAfter: UNAVAILABLE_RETRY_SECONDS }),
        );
      }
      if (isOutOfFiles(error)) {
        return refusedReply(new StoreRefusal('FILES_EXHAUSTED', { retryAfter: UNAVAILABLE_RETRY_SECONDS }));
      }
      if (error instanceof StorageUnavailable) {
        return refusedReply(
          new StoreRefusal('STORAGE_UNAVAILABLE', { retryAfter: UNAVAILABLE_RETRY_SECONDS }),
        );
      }
      // Deleted by another request meanwhile.
      if (error instanceof BlobVanished) return refusedReply(new StoreRefusal('MANIFEST_NOT_FOUND'));
      return debug && error instanceof Error ? detailReply(500, error.message) : errors.reply('INTERNAL');
    },
  };
}

function refusal(refused: Refusal): Reply {
  switch (refused.kind) {
    case 'body-empty':
      return refused.accepted?.includes(MANIFEST_TYPE)
        ? manifestReply('Manifest Store refused: the body is empty', 'manifest.unreadable')
        : commonRefusal(refused);
    case 'media-type':
      return detailReply(415, `Content-Type must be ${refused.accepted.join(' or ')}`);
    default:
      return commonRefusal(refused);
  }
}

function refusedReply({ code, detail, retryAfter }: StoreRefusal): Reply {
  const reply = detailReply(errors.status(code), detail);
  if (reply.status === 401) return { ...reply, headers: { 'WWW-Authenticate': 'Bearer' } };
  return retryAfter === undefined ? reply : { ...reply, headers: { 'Retry-After': String(retryAfter) } };
}

function manifestReply(detail: string, code: string): Reply {
  return json({ detail, code }, 400);
}
