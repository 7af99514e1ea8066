/** Renders errors as plain text, or as RFC 9457 problem details for clients that accept them. */
import { z } from 'zod';
import { statusName } from '../../http/head/status.js';
import type { Reply, ResponseSpec } from '../../http/routing/route.js';
import type { ErrorForm, ErrorRenderer, Refusal, Violation } from '../../http/routing/service.js';
import { isNativeError } from '../../native.js';
import { BlobVanished } from '../../storage/blobs/port.js';
import { saysFull } from '../../storage/data/full.js';
import { isOutOfFiles, StorageUnavailable } from '../../storage/data/unavailable.js';
import {
  CodesRefusal,
  codeStatus,
  type Details,
  type ErrorCode,
  RateExceeded,
  textOf,
  Unavailable,
} from './errors.js';

export interface ErrorFormOptions {
  /** Whether responses include internal causes (`CODEWEB_ENVIRONMENT=development`). */
  readonly details: boolean;
  readonly uploadBytesMax: number;
}

/** Plain text by default, problem details for clients that accept them. */
export function errorForm(options: ErrorFormOptions): ErrorForm {
  return {
    contentType: PLAIN_TEXT,
    ...renderer(plainText, options),
    problems: { contentType: PROBLEM, schema: problemSchema, ...renderer(problem, options) },
  };
}

/** An error before it is rendered. */
interface ErrorReply {
  readonly code: ErrorCode;
  readonly text: string;
  /** The internal cause, in development only. */
  readonly cause?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as a job shows it: without internal causes. */
export function describedError(error: unknown): { status: number; code: ErrorCode; detail: string } {
  const { code, text } = thrown(error, false);
  return { status: codeStatus(code), code, detail: text };
}

function renderer(render: (error: ErrorReply) => Reply, options: ErrorFormOptions): ErrorRenderer {
  return {
    refusal: (refused) => render(refusal(refused, options.uploadBytesMax)),
    thrown: (error) => render(thrown(error, options.details)),
  };
}

/** The documentation of a 503. */
export function retryLater(description: string): ResponseSpec {
  return { description, headers: { 'Retry-After': { description: 'Seconds', schema: z.int() } } };
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** One line. A 422 ends with its code, so that clients can tell the reasons apart. */
function plainText({ code, text, cause, headers = {} }: ErrorReply): Reply {
  const status = codeStatus(code);
  const shown = [...(status === 422 ? [code] : []), ...(cause === undefined ? [] : [cause])];
  const line = shown.length === 0 ? text : `${text} (${shown.join(': ')})`;
  return { status, headers, body: { kind: 'text', text: line, contentType: PLAIN_TEXT } };
}

const PROBLEM = 'application/problem+json';

const problemSchema = z
  .object({
    title: z.string().describe('The HTTP status in words'),
    status: z.int(),
    detail: z.string().describe('What is wrong, for people'),
    code: z.string().describe('What is wrong, for programs: a constant name'),
    cause: z.string().optional().describe('Internal cause; in development only'),
  })
  .meta({ id: 'Problem' });

function problem({ code, text, cause, headers = {} }: ErrorReply): Reply {
  const status = codeStatus(code);
  const value = { title: statusName(status), status, detail: text, code, ...(cause && { cause }) };
  return { status, headers, body: { kind: 'text', text: JSON.stringify(value), contentType: PROBLEM } };
}

function thrown(error: unknown, details: boolean): ErrorReply {
  if (error instanceof Unavailable || error instanceof RateExceeded) {
    const { code, message: text, retryAfterSeconds } = error;
    return { code, text, headers: { 'Retry-After': `${retryAfterSeconds}` } };
  }
  if (error instanceof CodesRefusal) {
    return { code: error.code, text: error.message, ...(details && { cause: oneLine(error.cause) }) };
  }
  if (isNativeError(error, 'BUSY')) return thrown(new Unavailable('BUSY', { cause: error }), details);
  if (error instanceof StorageUnavailable)
    return thrown(new Unavailable('STORAGE_UNAVAILABLE', { cause: error }), details);
  if (isOutOfFiles(error)) return thrown(new Unavailable('FILES_EXHAUSTED', { cause: error }), details);
  if (error instanceof BlobVanished) return described('FILE_NOT_FOUND');
  if (saysFull(error)) return described('STORAGE_FULL');
  return { ...described('INTERNAL'), ...(details && { cause: oneLine(error) }) };
}

/** Child processes print several lines. */
function oneLine(error: unknown): string | undefined {
  return error instanceof Error ? error.message.replace(/\s+/g, ' ').trim() : undefined;
}

function refusal(refused: Refusal, uploadBytesMax: number): ErrorReply {
  switch (refused.kind) {
    case 'malformed':
      return described('REQUEST_INVALID', { reason: refused.message });
    case 'target-too-long':
      return described('URL_TOO_LONG');
    case 'not-found':
      return described('PATH_NOT_FOUND');
    case 'method-not-allowed':
      return described('METHOD_NOT_ALLOWED', { allow: refused.allow.join(', ') });
    case 'invalid':
      return invalid(refused.violations);
    case 'body-not-json':
      return described('REQUEST_INVALID', { reason: `the body is not JSON: ${refused.message}` });
    case 'body-empty':
      return described('UPLOAD_SIZE', { max: uploadBytesMax });
    case 'body-too-large':
      return described('UPLOAD_SIZE', { max: refused.bytesMax });
    case 'length-required':
      return described('REQUEST_INVALID', { reason: 'Content-Length is missing.' });
    case 'memory-full':
      return described('MEMORY_FULL');
    case 'precondition-failed':
      return described('OTHER_CONTENT');
    case 'range-unsatisfiable':
      return described('RANGE_UNSATISFIABLE', { size: refused.size });
    case 'media-type':
      return described('MEDIATYPE_REFUSED', { accepted: refused.accepted.join(' or ') });
    default:
      return refused satisfies never;
  }
}

function invalid(violations: readonly Violation[]): ErrorReply {
  const reasons = violations.map(({ where, path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : `${where}: ${message}`,
  );
  return described('REQUEST_INVALID', { reason: reasons.join('; ') });
}

function described(code: ErrorCode, details: Details = {}): ErrorReply {
  return { code, text: textOf(code, details) };
}
