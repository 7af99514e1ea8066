/** All errors of the service with status and text. `error-form.ts` renders them. */
import { errorTable } from '../../http/reply/error-table.js';

/**
 * Placeholders in braces are replaced by the error's details. `{task}` is {@link TASKS} of the failed job. Texts say
 * what is wrong with the file and never name libraries or paths.
 */
export const ERRORS = {
  UPLOAD_SIZE: [400, 'Bad Request - Content-Length must be > 0 and < {max}'],
  FILENAME_MISSING: [400, 'Bad Request - Missing header X-Upload-Filename, or query parameter filename.'],
  FILENAME_NOT_BASE64: [400, 'Bad Request - X-Upload-Filename is not base64.'],
  FILENAME_NOT_UTF8: [400, 'Bad Request - X-Uploaded-Filename is not UTF-8 encoded'],
  FILENAME_EMPTY: [400, 'Bad Request - The file name has no character that file systems allow.'],
  MULTIPART: [
    400,
    'Bad Request - the body must be the raw bytes of the file, not multipart/form-data: ' +
      'curl --data-binary @FILE "URL?filename=NAME"',
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
  OTHER_CONTENT: [412, 'Precondition Failed - the content has another ETag than If-Match names.'],
  URL_TOO_LONG: [414, 'URI Too Long - send long texts and lists in the body of POST.'],
  MEDIATYPE_REFUSED: [415, 'Unsupported Media Type - send {accepted}.'],
  RANGE_UNSATISFIABLE: [416, 'Range Not Satisfiable - the file has {size} bytes.'],
  MEDIATYPE_UNSUPPORTED: [422, 'Unsupported mediatype {mediatype} for {filename}'],
  PROCESSING_FAILED: [422, '{task} The file could not be processed.'],
  FILE_EMPTY: [422, '{task} The file is empty.'],
  FILE_DAMAGED: [422, '{task} The file is damaged, incomplete or not in the format of its file name.'],
  FILE_ENCRYPTED: [422, '{task} The document is encrypted. Upload a copy without password and encryption.'],
  FILE_NO_TEXT: [422, '{task} The file contains no text.'],
  FILE_TOO_SHORT: [422, '{task} The audio is too short: at least 3 seconds are needed.'],
  VIDEO_TOO_SMALL: [
    422,
    '{task} The video is too small or too short: at least 32 x 32 pixels and 0.1 seconds are needed.',
  ],
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
  RATE_EXCEEDED: [429, 'Too Many Requests - this client has {what}; try again in {seconds} s.'],
  INTERNAL: [500, 'Internal Server Error'],
  SEMANTIC_FAILED: [
    500,
    'Internal Server Error - the semantic model or its tokenizer does not work. The log of the service says why; ' +
      'semantic=false leaves the semantic unit out.',
  ],
  SOURCE_FAILED: [502, 'Bad Gateway - the file could not be fetched from its source: {reason}.'],
  BUSY: [503, 'Service Unavailable - too many jobs are waiting, try again in {seconds} s.'],
  MEMORY_FULL: [503, 'Service Unavailable - too many large request bodies are in memory, try again later.'],
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
  PROGRESS_UNAVAILABLE: [
    503,
    'Service Unavailable - the progress of uploads and jobs of other instances cannot be read, try again in {seconds} s.',
  ],
  STORAGE_FULL: [507, 'Insufficient Storage - no space left for the file.'],
  DISK_RESERVED: [507, 'Insufficient Storage - the rest of the disk is reserved (CODEWEB_DISK_RESERVE).'],
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
  'FILE_EMPTY',
  'FILE_DAMAGED',
  'FILE_ENCRYPTED',
  'FILE_NO_TEXT',
  'FILE_TOO_SHORT',
  'VIDEO_TOO_SMALL',
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

type PassingCode =
  | 'BUSY'
  | 'FILES_EXHAUSTED'
  | 'WORKER_LOST'
  | 'RECORDS_UNAVAILABLE'
  | 'STORAGE_UNAVAILABLE'
  | 'PROGRESS_UNAVAILABLE';

/** A required resource is temporarily unavailable; the client may retry. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly code: ErrorCode;
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor(code: PassingCode = 'BUSY', options?: ErrorOptions) {
    super(table.text(code, { seconds: RETRY_AFTER_SECONDS }), options);
    this.code = code;
  }
}

/** The client has used up what a period allows. */
export class RateExceeded extends Error {
  override readonly name = 'RateExceeded';
  readonly code = 'RATE_EXCEEDED' satisfies ErrorCode;
  readonly retryAfterSeconds: number;

  /** @param what the client did too often, after "this client has" */
  constructor(what: string, retryAfterSeconds: number) {
    super(table.text('RATE_EXCEEDED', { what, seconds: retryAfterSeconds }));
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
