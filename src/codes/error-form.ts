/** How the service words errors: plain text, one line. */
import { saysFull } from '../data/full.js';
import type { Reply } from '../http/routing/route.js';
import type { ErrorForm, Refusal, Violation } from '../http/routing/service.js';
import { type ErrorCode, errorStatus, errorText, Refused, Unavailable } from './errors.js';

const CONTENT_TYPE = 'text/plain; charset=utf-8';

export interface ErrorFormOptions {
  /** Answers tell what went wrong inside (`CODEWEB_ENVIRONMENT=development`). */
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
  if (error instanceof Refused) return text(errorStatus(error.code), withCause(error, details));
  if (saysFull(error)) return plain('STORAGE_FULL');
  const inside = details && error instanceof Error ? `: ${error.message}` : '';
  return plain('INTERNAL', {}, inside);
}

function withCause(error: Refused, details: boolean): string {
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
