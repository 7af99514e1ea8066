/**
 * Where the bytes of uploads live. Every engine passes the suite in `test/blobs/suite.ts`.
 *
 * A blob is written as a draft, which nobody else sees, and becomes visible under its key at once
 * and whole. A folder groups the blobs that are removed together.
 */

/** Names one blob. Both parts are single path segments, already made safe by the caller. */
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
  /** Puts a block at its place; blocks may be in flight together. */
  write(block: Uint8Array, position: number): Promise<void>;
  /** Resolves when what was written would survive a power loss. */
  sync(): Promise<void>;
  /** Durably gives the draft its key. Rejects with {@link BlobFolderTaken} if the folder exists. */
  commit(key: BlobKey): Promise<StoredBlob>;
  /** Leaves nothing behind; does nothing after a commit. */
  discard(): Promise<void>;
}

export interface Blobs {
  begin(): Promise<BlobDraft>;
  find(key: BlobKey): Promise<StoredBlob | undefined>;
  /** Removes a folder with all its blobs; a folder that is not there is no error. */
  remove(folder: string): Promise<void>;
  /** Removes folders that were made before `before` (milliseconds since the epoch) and that `keep` does not know. */
  removeStrays(keep: (folder: string) => boolean, before: number): Promise<number>;
  /** Removes drafts that a process left behind and nobody has written to since `before`. */
  removeDrafts(before: number): Promise<number>;
}

export class BlobFolderTaken extends Error {
  override readonly name = 'BlobFolderTaken';

  constructor(folder: string) {
    super(`the folder ${folder} exists`);
  }
}
