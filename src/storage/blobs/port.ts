/**
 * Port to the storage of uploaded bytes. Every engine passes the suite in `test/blobs/suite.ts`.
 *
 * A blob is written as a draft, which is invisible to readers. A commit makes it visible under its key, atomically. A
 * folder groups the blobs that are removed together.
 */
import { constants, createWriteStream } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { failureReason } from '../../platform/failure-reason.js';
import { StorageUnavailable } from '../data/unavailable.js';

/** Key of a blob. Both parts are single path segments that the caller has sanitized. */
export interface BlobKey {
  readonly folder: string;
  readonly name: string;
}

/** A blob in a file of this machine. */
export interface LocalBlob {
  readonly bytes: number;
  /** Local path for programs that read files; stays readable through an open handle after removal. */
  readonly path: string;
}

/** A part of a blob: from `start` to `end` (exclusive). */
export interface BlobRange {
  readonly start: number;
  readonly end: number;
}

/** Headers that a download shall have. */
export interface DownloadHeaders {
  readonly contentType: string;
  readonly contentDisposition: string;
  readonly cacheControl: string;
}

/** A blob on another machine. */
export interface RemoteBlob {
  readonly bytes: number;
  /** Where it is, for messages. */
  readonly place: string;
  /** Rejects with {@link StorageUnavailable}, or with {@link BlobVanished} if the blob was removed meanwhile. */
  read(range?: BlobRange): Promise<Readable>;
  /** An address where anyone can download the blob for some minutes. */
  address(headers: DownloadHeaders): Promise<string>;
}

export type StoredBlob = LocalBlob | RemoteBlob;

export interface BlobDraft {
  /** The key that the draft was begun with, if the engine uses it. */
  readonly key?: BlobKey | undefined;
  /** Local path of the draft. Other programs may read it, or replace the file at this path. */
  readonly path: string;
  /** Writes a block at a position. Several writes may be in flight. */
  write(block: Uint8Array, position: number): Promise<void>;
  /** Resolves when the written blocks would survive a power loss. */
  sync(): Promise<void>;
  /**
   * Durably publishes the draft under its key. `whole` gives all its bytes, instead of `write`: the engine can then store
   * them in one step. Rejects with {@link BlobFolderTaken} if the folder exists.
   */
  commit(key: BlobKey, whole?: Uint8Array): Promise<StoredBlob>;
  /** Removes the draft; does nothing after a commit. */
  discard(): Promise<void>;
}

/** Folders by name: `from` (inclusive) to `to` (exclusive). */
export interface FolderRange {
  readonly from?: string;
  readonly to?: string;
}

/** Receives the place of what could not be removed. The others are removed. */
export type OnUnremoved = (place: string, error: unknown) => void;

/** Local folders, for the rules of processes that read blobs. */
export interface BlobPlaces {
  /** Of published blobs; absent if they are on another machine. */
  readonly files?: string;
  /** Of drafts, and of what other programs create next to them. */
  readonly drafts: string;
}

export interface Blobs {
  readonly places: BlobPlaces;
  /**
   * Begins a draft. With a key, the caller promises to write the bytes only through `write`, and to try this key first:
   * an engine on another machine can then send them ahead.
   */
  begin(key?: BlobKey): Promise<BlobDraft>;
  find(key: BlobKey): Promise<StoredBlob | undefined>;
  /** Removes a folder with all its blobs. A missing folder is not an error. */
  remove(folder: string): Promise<void>;
  /** Removes folders last changed before `before` (milliseconds since the epoch) for which `keep` returns `false`. */
  removeStrays(
    keep: (folder: string) => boolean,
    before: number,
    options?: FolderRange & { readonly onUnremoved?: OnUnremoved },
  ): Promise<number>;
  /** Removes drafts of other processes that have not changed since `before`. */
  removeDrafts(before: number, onUnremoved?: OnUnremoved): Promise<number>;
}

/** Copies a blob into a local file. @throws {StorageUnavailable} like {@link RemoteBlob.read}, and if not all bytes arrive */
export async function copyBlob(blob: StoredBlob, file: string): Promise<void> {
  if ('path' in blob) return copyFile(blob.path, file, constants.COPYFILE_FICLONE);
  await pipeline(() => bytesOf(blob), createWriteStream(file, { mode: 0o600 }));
}

/**
 * All bytes of a blob. Only for blobs of a few megabytes.
 *
 * @throws {StorageUnavailable} like {@link RemoteBlob.read}, and if not all bytes arrive
 */
export async function blobBytes(blob: StoredBlob): Promise<Buffer> {
  return 'path' in blob ? readFile(blob.path) : buffer(bytesOf(blob));
}

/** A connection that ends too early is a failure of the storage, not of the caller's request. */
async function* bytesOf(blob: RemoteBlob): AsyncGenerator<Uint8Array> {
  const stream = await blob.read();
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (cause) {
    const reason = failureReason(cause);
    throw new StorageUnavailable(`${blob.place} did not arrive completely: ${reason}`, { cause });
  }
}

export class BlobVanished extends Error {
  override readonly name = 'BlobVanished';

  constructor(key: string) {
    super(`the blob ${key} was removed`);
  }
}

export class BlobFolderTaken extends Error {
  override readonly name = 'BlobFolderTaken';

  constructor(folder: string) {
    super(`the folder ${folder} already exists`);
  }
}
