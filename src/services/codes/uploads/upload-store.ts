/** Stores uploads: a file, and the record that makes it visible once both are durable. */
import {
  type BlobDraft,
  BlobFolderTaken,
  type BlobKey,
  type Blobs,
  copyBlob,
  type StoredBlob,
} from '../../../storage/blobs/port.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import { CodesRefusal, Unavailable } from '../errors.js';
import type { IsccResult } from '../result.js';
import { type MediaId, MediaIdSource } from './media-id.js';
import type { UploadRecord, UploadRecords } from './records-port.js';

/** Id collisions only happen after the clock went backwards. Gives up after this many. */
const STORE_ATTEMPTS_MAX = 8;

export interface StoreParts {
  readonly result?: IsccResult;
  /** The bytes of a draft without bytes. */
  readonly unwritten?: Uint8Array | undefined;
}

export class UploadStore {
  readonly #blobs: Blobs;
  readonly #records: UploadRecords;
  readonly #ids = new MediaIdSource();

  constructor(blobs: Blobs, records: UploadRecords) {
    [this.#blobs, this.#records] = [blobs, records];
  }

  /** The key under which a new upload is stored, unless another process has taken it. */
  nextKey(name: string): BlobKey {
    return { folder: this.#ids.next(), name };
  }

  /** Runs work on a draft. Discards the draft, unless the work has stored it. */
  async inDraft<T>(key: BlobKey | undefined, work: (draft: BlobDraft) => Promise<T>): Promise<T> {
    const draft = await this.#blobs.begin(key);
    try {
      return await work(draft);
    } finally {
      await draft.discard();
    }
  }

  /** Runs work on a local file with the bytes of a blob. */
  async withFile<T>(blob: StoredBlob, work: (path: string) => Promise<T>): Promise<T> {
    if ('path' in blob) return work(blob.path);
    return this.inDraft(undefined, async ({ path }) => {
      await copyBlob(blob, path);
      return work(path);
    });
  }

  /** When this resolves, the upload survives a power loss. Settles when nothing uses the bytes any more. */
  async store(draft: BlobDraft, record: UploadRecord, { result, unwritten }: StoreParts): Promise<MediaId> {
    const id = await this.#commit(draft, record.filename, unwritten);
    await this.#records.add(id, record, result).catch((error: unknown) => this.#removeUnless(error, id));
    return id;
  }

  /** Removes the file of a record that was not written. After a timeout it may still be written, and needs its file. */
  async #removeUnless(error: unknown, id: MediaId): Promise<never> {
    const isUnknown = error instanceof Unavailable || error instanceof StorageUnavailable;
    if (!isUnknown) await this.#blobs.remove(id);
    throw error;
  }

  /** The bytes of an upload. */
  async blob(id: MediaId, record: UploadRecord): Promise<StoredBlob> {
    const blob = await this.#blobs.find({ folder: id, name: record.filename });
    if (blob === undefined) throw new CodesRefusal('FILE_NOT_FOUND');
    return blob;
  }

  async #commit(draft: BlobDraft, name: string, unwritten?: Uint8Array): Promise<MediaId> {
    let id = (draft.key?.folder as MediaId | undefined) ?? this.#ids.next();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await draft.commit({ folder: id, name }, unwritten);
        return id;
      } catch (error) {
        if (!(error instanceof BlobFolderTaken) || attempt === STORE_ATTEMPTS_MAX) throw error;
      }
      id = this.#ids.next();
    }
  }
}
