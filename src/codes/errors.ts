/** All errors of the service with status and text, and their rendering as plain text or RFC 9457 problem details. */
import { z } from 'zod';
import { BlobVanished } from '../blobs/port.js';
import { saysFull } from '../data/full.js';
import { isOutOfFiles, StorageUnavailable } from '../data/unavailable.js';
import { errorTable } from '../http/reply/error-table.js';
import { statusName } from '../http/reply/status.js';
import type { Reply } from '../http/routing/route.js';
import type { ErrorForm, ErrorRenderer, Refusal, Violation } from '../http/routing/service.js';
import { isNativeError } from '../native.js';

/**
 * Placeholders in braces are replaced by the error's details. `{task}` is {@link TASKS} of the failed job. Texts say
 * what is wrong with the file and never name libraries or paths.
 */
export const ERRORS = {
  UPLOAD_SIZE: [400, 'Bad Request - Content-Length must be > 0 and < {max}'],
  FILENAME_MISSING: [400, 'Bad Request - Missing header X-Upload-Filename.'],
  FILENAME_NOT_BASE64: [400, 'Bad Request - X-Upload-Filename is not base64.'],
  FILENAME_NOT_UTF8: [400, 'Bad Request - X-Uploaded-Filename is not UTF-8 encoded'],
  FILENAME_EMPTY: [400, 'Bad Request - X-Upload-Filename has no character that a file name may have.'],
  MULTIPART: [
    400,
    'Bad Request - the body must be the raw bytes of the file, not multipart/form-data: ' +
      'curl --data-binary @FILE -H "X-Upload-Filename: $(printf NAME | base64)" URL',
  ],
  ISCC_INVALID: [400, 'Invalid ISCC - {reason}'],
  TEXT_SIZE: [400, 'Bad Request - text must have 1 to {max} UTF-8 bytes.'],
  REQUEST_INVALID: [400, 'Bad Request - {reason}'],
  SOURCES_OFF: [403, 'Forbidden - this service fetches no files from other servers (CODEWEB_SOURCES).'],
  SOURCE_REFUSED: [
    403,
    'Forbidden - {host} is not a public address on the list of sources (CODEWEB_SOURCES).',
  ],
  NOT_UPLOADER: [403, 'Forbidden - Only accessible by original uploader.'],
  METADATA_NOT_FOUND: [404, 'File metadata not found'],
  FILE_NOT_FOUND: [404, 'File not found'],
  RESULT_NOT_FOUND: [404, 'No ISCC-CODE found.'],
  JOB_NOT_FOUND: [404, 'No such job of this client.'],
  PATH_NOT_FOUND: [404, 'Not Found'],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed - use {allow}.'],
  MEDIATYPE_REFUSED: [415, 'Unsupported Media Type - send {accepted}.'],
  RANGE_UNSATISFIABLE: [416, 'Range Not Satisfiable - the file has {size} bytes.'],
  MEDIATYPE_UNSUPPORTED: [422, 'Unsupported mediatype {mediatype} for {filename}'],
  PROCESSING_FAILED: [422, '{task} The file could not be processed.'],
  FILE_DAMAGED: [422, '{task} The file is damaged, incomplete or not in the format of its file name.'],
  FILE_ENCRYPTED: [422, '{task} The document is encrypted. Upload a copy without password and encryption.'],
  FILE_NO_TEXT: [422, '{task} The file contains no text.'],
  FILE_TOO_SHORT: [422, '{task} The audio is too short: at least 3 seconds are needed.'],
  FILE_TOO_LARGE: [422, '{task} The content exceeds a limit, such as pixels, pages or unpacked bytes.'],
  FILE_TOO_COSTLY: [
    422,
    '{task} The file asks for more work than its size allows, such as SVG filters over large areas, long gaps between ' +
      'frames, sample rates below 1000 Hz or millions of empty parts.',
  ],
  FILE_TOO_SLOW: [422, '{task} Processing the file took too long.'],
  FILE_TOO_COMPLEX: [422, '{task} Processing the file needed too much memory.'],
  FILE_CRASHES_DECODER: [422, '{task} The decoder crashes on this file, which is probably damaged.'],
  FORMAT_UNSUPPORTED: [422, '{task} There is no decoder for this variant of the file format.'],
  FFMPEG_MISSING: [422, '{task} {reason}'],
  PERL_MISSING: [422, '{task} Embedding into images needs perl, which is not installed.'],
  SEMANTIC_UNAVAILABLE: [
    422,
    'ISCC processing error. semantic=true needs a model, to be configured in {variable}.',
  ],
  ONNXRUNTIME_MISSING: [422, '{task} {reason}'],
  EMBEDDING_UNSUPPORTED: [422, '{task} Embedding metadata into files of type {mediatype} is not supported.'],
  EMBEDDING_LOST: [
    422,
    '{task} The file did not take any of the fields {fields}: its copy does not show them. Type: {mediatype}.',
  ],
  FILE_PROTECTED: [
    422,
    '{task} The owner of the document forbids changes with a password. Remove the protection first.',
  ],
  TEXT_NOT_UNICODE: [
    422,
    'Unprocessable Entity - simprint processing error. The text contains a lone surrogate.',
  ],
  INTERNAL: [500, 'Internal Server Error'],
  SOURCE_FAILED: [502, 'Bad Gateway - the file could not be fetched from its source: {reason}.'],
  BUSY: [503, 'Service Unavailable - too many jobs are waiting, try again in {seconds} s.'],
  FILES_EXHAUSTED: [
    503,
    'Service Unavailable - too many files and connections are open, try again in {seconds} s.',
  ],
  WORKER_LOST: [503, 'Service Unavailable - the worker process has ended, try again in {seconds} s.'],
  RECORDS_UNAVAILABLE: [
    503,
    'Service Unavailable - the upload could not be recorded in time, try again in {seconds} s.',
  ],
  STORAGE_UNAVAILABLE: [
    503,
    'Service Unavailable - the storage of uploads does not respond, try again in {seconds} s.',
  ],
  STORAGE_FULL: [507, 'Insufficient Storage - no space left for the file.'],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof ERRORS;

export type Details = Readonly<Record<string, string | number>>;

/** The beginning of a 422, by kind of job. The first two are the texts of the reference. */
export const TASKS = {
  content: 'ISCC processing error.',
  embed: 'Unprocessable Entity - Failed to embed metadata.',
  extract: 'Unprocessable Entity - Failed to extract metadata.',
  simprint: 'Unprocessable Entity - simprint processing error.',
} as const;

const table = errorTable(ERRORS);

/** The HTTP status of an error. */
export function codeStatus(code: ErrorCode): number {
  return table.status(code);
}

/** Reasons why a file of a supported type has no Content-Code that are in the file itself. */
export const ABOUT_FILE: ReadonlySet<ErrorCode> = new Set([
  'MEDIATYPE_UNSUPPORTED',
  'PROCESSING_FAILED',
  'FILE_DAMAGED',
  'FILE_ENCRYPTED',
  'FILE_NO_TEXT',
  'FILE_TOO_SHORT',
  'FILE_TOO_LARGE',
  'FILE_TOO_COSTLY',
  'FILE_TOO_SLOW',
  'FILE_TOO_COMPLEX',
  'FILE_CRASHES_DECODER',
  'FORMAT_UNSUPPORTED',
]);

/** The text of a code, with its placeholders replaced. */
export function textOf(code: ErrorCode, details: Details): string {
  return table.text(code, details);
}

/** The request is refused; the code says why. The cause is for the log. */
export class CodesRefusal extends Error {
  override readonly name = 'CodesRefusal';
  readonly code: ErrorCode;
  readonly details: Details;

  constructor(code: ErrorCode, details: Details = {}, options?: ErrorOptions) {
    super(table.text(code, { task: TASKS.content, ...details }), options);
    this.code = code;
    this.details = details;
  }
}

/** Long enough for a queue slot to free up. */
const RETRY_AFTER_SECONDS = 5;

/** A required resource is temporarily unavailable; the client may retry. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly code: ErrorCode;
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor(
    code: 'BUSY' | 'FILES_EXHAUSTED' | 'WORKER_LOST' | 'RECORDS_UNAVAILABLE' | 'STORAGE_UNAVAILABLE' = 'BUSY',
    options?: ErrorOptions,
  ) {
    super(table.text(code, { seconds: RETRY_AFTER_SECONDS }), options);
    this.code = code;
  }
}

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
  return { status: table.status(code), code, detail: text };
}

function renderer(render: (error: ErrorReply) => Reply, options: ErrorFormOptions): ErrorRenderer {
  return {
    refusal: (refused) => render(refusal(refused, options.uploadBytesMax)),
    thrown: (error) => render(thrown(error, options.details)),
  };
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** One line. A 422 ends with its code, so that clients can tell the reasons apart. */
function plainText({ code, text, cause, headers = {} }: ErrorReply): Reply {
  const status = table.status(code);
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
  const status = table.status(code);
  const value = { title: statusName(status), status, detail: text, code, ...(cause && { cause }) };
  return { status, headers, body: { kind: 'text', text: JSON.stringify(value), contentType: PROBLEM } };
}

function thrown(error: unknown, details: boolean): ErrorReply {
  if (error instanceof Unavailable) {
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
    case 'range-unsatisfiable':
      return described('RANGE_UNSATISFIABLE', { size: refused.size });
    case 'media-type':
      return described('MEDIATYPE_REFUSED', { accepted: refused.accepted.join(' or ') });
    default:
      return refused satisfies never;
  }
}

function invalid(violations: readonly Violation[]): ErrorReply {
  if (violations.some(({ where, path }) => where === 'headers' && path[0] === 'x-upload-filename')) {
    return described('FILENAME_MISSING');
  }
  const reasons = violations.map(({ where, path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : `${where}: ${message}`,
  );
  return described('REQUEST_INVALID', { reason: reasons.join('; ') });
}

function described(code: ErrorCode, details: Details = {}): ErrorReply {
  return { code, text: table.text(code, details) };
}
