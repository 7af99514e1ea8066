/** Every error of the service: its status and what the client reads. Services throw codes, this file words them. */

/** Placeholders in braces are filled from the error's details. */
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

/** The request can't be done, and the client can tell why from the code. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  readonly details: Details;

  constructor(code: ErrorCode, details: Details = {}, options?: ErrorOptions) {
    super(errorText(code, details), options);
    this.code = code;
    this.details = details;
  }
}

/** Some jobs are over by then. */
const RETRY_AFTER_SECONDS = 5;

/** Something that the service needs is not to be had now; a later try may succeed. */
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
