/** What `isccd code` reads: local files, standard input, web addresses and objects in S3. */
import type { Place } from './place.js';

/** A file to process. Its path, or address, is shown in results, and identifies the file in a later run. */
export interface Source extends Place {
  /** The last part of the path, from which media type and title may be derived. */
  readonly filename: string;
  /** Bytes, if known before reading. */
  readonly size?: number;
  /** Last change in milliseconds since 1970, of local files. */
  readonly modifiedMs?: number;
  /** Equal for all names of a local file: of hard links, too. Another one after a change. */
  readonly identity?: string;
  /** Whether the name is a symbolic link to the file. */
  readonly isLink?: true;
  /** Whether each run reads other content: standard input and pipes. */
  readonly isTransient?: true;
  /** The path of a local file with the content; remote content is fetched into `folder`. */
  readonly fetch: (folder: string) => Promise<LocalFile>;
}

export interface LocalFile {
  readonly path: string;
  /** A better name than that of the source, such as the one that a web server sent. */
  readonly filename?: string;
  /** @throws {SourceFailed} if the content has changed since */
  readonly verify?: () => Promise<void>;
  /** Removes fetched content. Absent for the caller's own files. */
  readonly discard?: () => Promise<void>;
}

/** An argument, or an entry below it, that cannot be read. */
export interface Unreadable extends Place {
  readonly error: unknown;
}

/** A failure with a stable code that is not one of the codes service. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  readonly code: SourceCode;

  constructor(code: SourceCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type SourceCode =
  | 'NOT_FOUND'
  | 'NO_PERMISSION'
  | 'NOT_A_FILE'
  | 'NO_MATCH'
  | 'NAME_NOT_UTF8'
  | 'FILE_CHANGED'
  | 'TOO_LARGE'
  | 'ADDRESS_INVALID'
  | 'FETCH_FAILED'
  | 'UNREADABLE';
