/** Errors of files that can't be processed, with the code that tells the client why. */
import { isNativeError, type NativeErrorCode } from '../../../native.js';
import { NO_MEMORY } from '../../../platform/workers/no-memory.js';
import type { ErrorCode } from '../errors.js';

export type FileErrorCode = Extract<
  ErrorCode,
  | 'FILE_DAMAGED'
  | 'FILE_ENCRYPTED'
  | 'FILE_PROTECTED'
  | 'FILE_NO_TEXT'
  | 'FILE_TOO_SHORT'
  | 'VIDEO_TOO_SMALL'
  | 'FILE_CRASHES_DECODER'
  | 'FILE_TOO_LARGE'
  | 'FILE_TOO_COMPLEX'
  | 'FILE_TOO_COSTLY'
  | 'FILE_TOO_SLOW'
  | 'FORMAT_UNSUPPORTED'
>;

/** The message is for the log; the client gets the text of the code. */
export class FileError extends Error {
  override readonly name: string = 'FileError';
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Codes of the addon for unreadable files. */
const ADDON_CODES: Partial<Record<NativeErrorCode, FileErrorCode>> = {
  DAMAGED: 'FILE_DAMAGED',
  NO_TEXT: 'FILE_NO_TEXT',
  TOO_LARGE: 'FILE_TOO_LARGE',
  TOO_COSTLY: 'FILE_TOO_COSTLY',
  NO_DECODER: 'FORMAT_UNSUPPORTED',
  UNSUPPORTED: 'FORMAT_UNSUPPORTED',
  ENCRYPTED: 'FILE_ENCRYPTED',
};

/** The code of an error that a format module or the addon has thrown; `undefined` if the file is not its cause. */
export function fileErrorCode(error: unknown): FileErrorCode | undefined {
  if (error instanceof FileError) return error.code;
  // The worker has a hard limit of memory.
  if (error instanceof RangeError && NO_MEMORY.test(error.message)) return 'FILE_TOO_COMPLEX';
  return isNativeError(error) ? ADDON_CODES[error.code] : undefined;
}
