/** Stores uploads: first the file, then the record that makes it visible. */
import {
  type BlobDraft,
  BlobFolderTaken,
  type BlobKey,
  type Blobs,
  copyBlob,
  type StoredBlob,
} from '../blobs/port.js';
import { StorageUnavailable } from '../data/unavailable.js';
import { CodesRefusal, Unavailable } from './errors.js';
import { type MediaId, MediaIdSource } from './media-id.js';
import type { UploadRecord, UploadRecords } from './records-port.js';
import type { IsccResult } from './result.js';

/** Id collisions only happen after the clock went backwards. Gives up after this many. */
const STORE_ATTEMPTS_MAX = 8;

export interface StoreParts {
  readonly result?: IsccResult;
  /** The bytes of a draft without bytes. */
  readonly whole?: Uint8Array | undefined;
  /** The file is stored already, by {@link UploadStore.storeWhile}. */
  readonly storedAs?: MediaId | undefined;
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

  /** When this resolves, the upload survives a power loss. */
  async store(
    draft: BlobDraft,
    record: UploadRecord,
    { result, whole, storedAs }: StoreParts,
  ): Promise<MediaId> {
    const id = storedAs ?? (await this.#commit(draft, record.filename, whole));
    try {
      await this.#records.add(id, record, result);
      return id;
    } catch (error) {
      // After a timeout the record may still be written and needs its file. Otherwise the clean-up removes the file.
      const isUnknown = error instanceof Unavailable || error instanceof StorageUnavailable;
      if (!isUnknown) await this.#blobs.remove(id);
      throw error;
    }
  }

  /**
   * Stores the bytes of a file while `work` runs. The caller stores its record or removes the file. Stores nothing if the
   * work fails. Settles when nothing uses the bytes any more.
   */
  async storeWhile<T>(
    draft: BlobDraft,
    name: string,
    bytes: Uint8Array,
    work: Promise<T>,
  ): Promise<[MediaId, T]> {
    const [storing, working] = await Promise.allSettled([this.#commit(draft, name, bytes), work]);
    if (storing.status === 'rejected') throw storing.reason;
    if (working.status === 'fulfilled') return [storing.value, working.value];
    await this.#blobs.remove(storing.value);
    throw working.reason;
  }

  /** The bytes of an upload. */
  async blob(id: MediaId, record: UploadRecord): Promise<StoredBlob> {
    const blob = await this.#blobs.find({ folder: id, name: record.filename });
    if (blob === undefined) throw new CodesRefusal('FILE_NOT_FOUND');
    return blob;
  }

  async #commit(draft: BlobDraft, name: string, whole?: Uint8Array): Promise<MediaId> {
    for (let attempt = 1; ; attempt += 1) {
      const isFirst = attempt === 1 && draft.key !== undefined;
      const id = isFirst ? (draft.key.folder as MediaId) : this.#ids.next();
      try {
        await draft.commit({ folder: id, name }, whole);
        return id;
      } catch (error) {
        if (!(error instanceof BlobFolderTaken) || attempt === STORE_ATTEMPTS_MAX) throw error;
      }
    }
  }
}
