/**
 * Port to the storage of uploaded bytes. Every engine passes the suite in `test/blobs/suite.ts`.
 *
 * A blob is written as a draft, which is invisible to readers. A commit makes it visible under its key, atomically. A
 * folder groups the blobs that are removed together.
 */

/** Key of a blob. Both parts are single path segments that the caller has sanitized. */
export interface BlobKey {
  readonly folder: string;
  readonly name: string;
}

export interface StoredBlob {
  /** Local path for programs that read files; stays readable through an open handle after removal. */
  readonly path: string;
  readonly bytes: number;
}

export interface BlobDraft {
  /** Local path of the draft. Other programs may read it, or replace the file at this path. */
  readonly path: string;
  /** Writes a block at a position. Several writes may be in flight. */
  write(block: Uint8Array, position: number): Promise<void>;
  /** Resolves when the written blocks would survive a power loss. */
  sync(): Promise<void>;
  /** Durably publishes the draft under its key. Rejects with {@link BlobFolderTaken} if the folder exists. */
  commit(key: BlobKey): Promise<StoredBlob>;
  /** Removes the draft; does nothing after a commit. */
  discard(): Promise<void>;
}

export interface Blobs {
  begin(): Promise<BlobDraft>;
  find(key: BlobKey): Promise<StoredBlob | undefined>;
  /** Removes a folder with all its blobs. A missing folder is not an error. */
  remove(folder: string): Promise<void>;
  /** Removes folders created before `before` (milliseconds since the epoch) for which `keep` returns `false`. */
  removeStrays(keep: (folder: string) => boolean, before: number): Promise<number>;
  /** Removes drafts of other processes without a write since `before`. */
  removeDrafts(before: number): Promise<number>;
}

export class BlobFolderTaken extends Error {
  override readonly name = 'BlobFolderTaken';

  constructor(folder: string) {
    super(`the folder ${folder} already exists`);
  }
}
