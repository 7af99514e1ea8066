/**
 * Port to the storage of blobs named by their SHA-256. Every engine passes `test/blobs/content-suite.ts`. A blob appears
 * complete or not at all, and is durable when `put` resolves.
 */
import type { StoredBlob } from './port.js';

export interface ContentBlob {
  /** SHA-256 in hex. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

export interface ContentBlobs {
  /** Where all blobs are, for logs and operators. */
  readonly place: string;
  /** Where a blob is, for logs and operators. */
  placeOf(digest: string): string;
  find(digest: string): Promise<StoredBlob | undefined>;
  /** Durably stores bytes under their digest. An existing blob is written again, which renews its `writtenAt`. */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  /** Removes a blob. A missing one is not an error. */
  remove(digest: string): Promise<void>;
  /** All blobs, unordered. */
  list(): AsyncIterable<ContentBlob>;
  /** Removes drafts without a write since `before`, which a crash left. Returns their number. */
  removeDrafts(before: number): Promise<number>;
  /** The id of the installation that the blobs belong to, if they have one. */
  name(): Promise<string | undefined>;
  /** Names the blobs unless they have a name; of several callers one wins. Returns the name. */
  named(wanted?: string): Promise<string>;
  /** Why the blobs can't be used now; `undefined` if they can. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}
