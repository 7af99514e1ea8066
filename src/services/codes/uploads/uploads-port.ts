/** A port: the storage of uploads. Two implementations: a local folder, and a bucket. */
import type { Blobs } from '../../../storage/blobs/port.js';
import type { ClientHasher } from './client-hash.js';
import type { UploadRecords } from './records-port.js';
import type { Unremoved } from './unremoved.js';

export interface Uploads {
  /** Local folder of the uploads, or of their drafts. */
  readonly folder: string;
  readonly blobs: Blobs;
  readonly records: UploadRecords;
  readonly clients: ClientHasher;
  readonly cleanup: {
    /** What the last round could not remove. */
    readonly unremoved: Unremoved;
    start(intervalSeconds: number): Promise<void>;
    stop(): Promise<void>;
  };
  /** Why uploads can't be stored; `undefined` if they can. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}
