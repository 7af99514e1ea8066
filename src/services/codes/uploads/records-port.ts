/** Port to the records of uploads and their results. A file without a record does not exist. */

import type { IsccResult } from '../result.js';
import type { MediaId } from './media-id.js';

export interface UploadRecord {
  /** Sanitised; safe as a file name. */
  readonly filename: string;
  /** The request's `Content-Type`, used only to be replayed on download. */
  readonly contentType?: string;
  /** Keyed hash of the client's network. */
  readonly uploader: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly bytes: number;
}

export interface UploadRecords {
  find(id: MediaId): UploadRecord | undefined | Promise<UploadRecord | undefined>;
  findResult(id: MediaId): IsccResult | undefined | Promise<IsccResult | undefined>;
  /**
   * Resolves when both are durable.
   *
   * @throws {Unavailable} or {StorageUnavailable}; both may still be stored
   */
  add(id: MediaId, record: UploadRecord, result?: IsccResult): Promise<void>;
  /** Resolves to whether the upload existed. */
  remove(id: MediaId): Promise<boolean>;
}
