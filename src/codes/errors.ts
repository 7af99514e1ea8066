/** All errors of the service with status and text, and their rendering as one line of plain text. */
import { saysFull } from '../data/full.js';
import type { Reply } from '../http/routing/route.js';
import type { ErrorForm, Refusal, Violation } from '../http/routing/service.js';
import { isNativeError } from '../native.js';

/** Placeholders in braces are replaced by the error's details. */
export const ERRORS = {
  UPLOAD_SIZE: [400, 'Bad Request - Content-Length must be > 0 and < {max}'],
  FILENAME_MISSING: [400, 'Bad Request - Missing header X-Upload-Filename.'],
  FILENAME_NOT_BASE64: [400, 'Bad Request - X-Upload-Filename is not base64.'],
  FILENAME_NOT_UTF8: [400, 'Bad Request - X-Uploaded-Filename is not UTF-8 encoded'],
  FILENAME_EMPTY: [400, 'Bad Request - X-Upload-Filename has no character that a file name may have.'],
  ISCC_INVALID: [400, 'Invalid ISCC - {reason}'],
  TEXT_SIZE: [400, 'Bad Request - text must have 1 to {max} UTF-8 bytes.'],
  REQUEST_INVALID: [400, 'Bad Request - {reason}'],
  NOT_UPLOADER: [403, 'Forbidden - Only accessible by original uploader.'],
  METADATA_NOT_FOUND: [404, 'File metadata not found'],
  FILE_NOT_FOUND: [404, 'File not found'],
  RESULT_NOT_FOUND: [404, 'No ISCC-CODE found.'],
  PATH_NOT_FOUND: [404, 'Not Found'],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed - use {allow}.'],
  RANGE_UNSATISFIABLE: [416, 'Range Not Satisfiable - the file has {size} bytes.'],
  MEDIATYPE_REFUSED: [415, 'Unsupported Media Type - send {accepted}.'],
  MEDIATYPE_UNSUPPORTED: [422, 'Unsupported mediatype {mediatype} for {filename}'],
  PROCESSING_FAILED: [422, 'ISCC processing error.'],
  FFMPEG_MISSING: [422, 'ISCC processing error - {reason}.'],
  SEMANTIC_UNAVAILABLE: [
    422,
    'ISCC processing error - semantic=true needs a model, to be named in {variable}.',
  ],
  ONNXRUNTIME_MISSING: [422, 'ISCC processing error - {reason}.'],
  EMBEDDING_FAILED: [422, 'Unprocessable Entity - Failed to embed metadata.'],
  SIMPRINT_FAILED: [422, 'Unprocessable Entity - simprint processing error.'],
  INTERNAL: [500, 'Internal Server Error'],
  STORAGE_FULL: [507, 'Insufficient Storage - no space left for the file.'],
  BUSY: [503, 'Service Unavailable - too much work is waiting, try again in {seconds} s.'],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof ERRORS;

export type Details = Readonly<Record<string, string | number>>;

/** The request is refused; the code says why. */
export class CodesRefusal extends Error {
  override readonly name = 'CodesRefusal';
  readonly code: ErrorCode;
  readonly details: Details;

  constructor(code: ErrorCode, details: Details = {}, options?: ErrorOptions) {
    super(errorText(code, details), options);
    this.code = code;
    this.details = details;
  }
}

/** Long enough for a queue slot to free up. */
const RETRY_AFTER_SECONDS = 5;

/** A required resource is temporarily unavailable; the client may retry. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly code: ErrorCode = 'BUSY';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds = RETRY_AFTER_SECONDS) {
    super(errorText('BUSY', { seconds: retryAfterSeconds }));
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function errorStatus(code: ErrorCode): number {
  return ERRORS[code][0];
}

export function errorText(code: ErrorCode, details: Details): string {
  return ERRORS[code][1].replace(/\{(\w+)\}/g, (_, key: string) => String(details[key] ?? ''));
}

const CONTENT_TYPE = 'text/plain; charset=utf-8';

export interface ErrorFormOptions {
  /** Whether responses include internal causes (`CODEWEB_ENVIRONMENT=development`). */
  readonly details: boolean;
  readonly uploadBytesMax: number;
}

export function errorForm({ details, uploadBytesMax }: ErrorFormOptions): ErrorForm {
  return {
    contentType: CONTENT_TYPE,
    refusal: (refused) => refusal(refused, uploadBytesMax),
    thrown: (error) => thrown(error, details),
  };
}

function thrown(error: unknown, details: boolean): Reply {
  if (error instanceof Unavailable) {
    return text(errorStatus(error.code), error.message, { 'Retry-After': `${error.retryAfterSeconds}` });
  }
  if (error instanceof CodesRefusal) return text(errorStatus(error.code), withCause(error, details));
  if (isNativeError(error, 'BUSY')) return thrown(new Unavailable(), details);
  if (saysFull(error)) return plain('STORAGE_FULL');
  const inside = details && error instanceof Error ? `: ${error.message}` : '';
  return plain('INTERNAL', {}, inside);
}

function withCause(error: CodesRefusal, details: boolean): string {
  const cause = details && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return error.message + cause;
}

function refusal(refused: Refusal, uploadBytesMax: number): Reply {
  switch (refused.kind) {
    case 'malformed':
      return plain('REQUEST_INVALID', { reason: refused.message });
    case 'not-found':
      return plain('PATH_NOT_FOUND');
    case 'method-not-allowed':
      return text(405, errorText('METHOD_NOT_ALLOWED', { allow: refused.allow.join(', ') }), {
        Allow: refused.allow.join(', '),
      });
    case 'invalid':
      return invalid(refused.violations);
    case 'body-not-json':
      return plain('REQUEST_INVALID', { reason: `the body is not JSON: ${refused.message}` });
    case 'body-empty':
      return plain('UPLOAD_SIZE', { max: uploadBytesMax });
    case 'body-too-large':
      return plain('UPLOAD_SIZE', { max: refused.bytesMax });
    case 'length-required':
      return plain('REQUEST_INVALID', { reason: 'Content-Length is missing.' });
    case 'range-unsatisfiable':
      return plain('RANGE_UNSATISFIABLE', { size: refused.size });
    case 'media-type':
      return plain('MEDIATYPE_REFUSED', { accepted: refused.accepted.join(' or ') });
    default:
      return refused satisfies never;
  }
}

function invalid(violations: readonly Violation[]): Reply {
  if (violations.some(({ where, path }) => where === 'headers' && path[0] === 'x-upload-filename')) {
    return plain('FILENAME_MISSING');
  }
  const reasons = violations.map(({ where, path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : `${where}: ${message}`,
  );
  return plain('REQUEST_INVALID', { reason: reasons.join('; ') });
}

function plain(code: ErrorCode, details: Record<string, string | number> = {}, suffix = ''): Reply {
  return text(errorStatus(code), errorText(code, details) + suffix);
}

function text(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { kind: 'text', text: body, contentType: CONTENT_TYPE } };
}
