/**
 * What is known of each upload, in LMDB: one database for the records, one for the results, both by
 * media id. A file without a record does not exist; the record is written last and removed first.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Database, IF_EXISTS, open, type RootDatabase } from 'lmdb';
import { syncPath } from '../data/durable.js';
import { StorageFull, storageIsFull } from '../data/full.js';
import { firstMediaIdAt, type MediaId } from './media-id.js';
import type { IsccResult } from './result.js';

export interface UploadRecord {
  /** Safe as a file's name. */
  readonly filename: string;
  /** The request's `Content-Type`; replayed on download, used for nothing else. */
  readonly contentType?: string;
  /** Keyed hash of the client's address. */
  readonly uploader: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly bytes: number;
}

/**
 * A write that resolves is on the disk, and one that can't be made rejects: with either option on, the library
 * keeps promises of a failed commit to itself, which ends the process or waits for ever.
 */
const WRITES = { overlappingSync: false, eventTurnBatching: false } as const;

export class Records {
  readonly #folder: string;
  readonly #root: RootDatabase;
  readonly #uploads: Database<UploadRecord, string>;
  readonly #results: Database<IsccResult, string>;

  private constructor(folder: string, readOnly: boolean) {
    this.#folder = folder;
    this.#root = open({ path: folder, maxDbs: 2, readOnly, ...WRITES });
    this.#uploads = this.#root.openDB('uploads', { encoding: 'json' });
    this.#results = this.#root.openDB('results', { encoding: 'json' });
  }

  static async open(folder: string): Promise<Records> {
    await mkdir(folder, { recursive: true });
    return new Records(folder, false);
  }

  /** Existing records that another process may be writing to. */
  static openToRead(folder: string): Records {
    return new Records(folder, true);
  }

  /** Copies the last committed state into a folder that is made, durably, also while another process writes. */
  static async copy(folder: string, target: string): Promise<void> {
    await mkdir(target, { recursive: true });
    const source = open({ path: folder, maxDbs: 2, readOnly: true });
    try {
      await source.backup(target, true);
    } finally {
      await source.close();
    }
    await syncPath(path.join(target, 'data.mdb'));
    await syncPath(target);
  }

  find(id: MediaId): UploadRecord | undefined {
    return this.#uploads.get(id);
  }

  /** Keys of all records, in order. */
  ids(): Iterable<string> {
    return this.#uploads.getKeys();
  }

  resultIds(): Iterable<string> {
    return this.#results.getKeys();
  }

  has(id: string): boolean {
    return this.#uploads.doesExist(id);
  }

  findResult(id: MediaId): IsccResult | undefined {
    return this.#results.get(id);
  }

  /** Resolves when both are on the disk. @throws {StorageFull} if they have no room there; nothing is kept then */
  async add(id: MediaId, record: UploadRecord, result?: IsccResult): Promise<void> {
    await this.#write(() =>
      this.#root.batch(() => {
        void this.#uploads.put(id, record);
        if (result !== undefined) void this.#results.put(id, result);
      }),
    );
  }

  /** Tells whether there was such an upload; of two removals at a time one is told so. */
  remove(id: MediaId): Promise<boolean> {
    return this.#write(() =>
      this.#uploads.ifVersion(id, IF_EXISTS, () => {
        void this.#uploads.remove(id);
        void this.#results.remove(id);
      }),
    );
  }

  /** Ids of the uploads made before `time` (milliseconds since the epoch), oldest first. */
  madeBefore(time: number, countMax: number): MediaId[] {
    return [...this.#uploads.getKeys({ end: firstMediaIdAt(time), limit: countMax })] as MediaId[];
  }

  close(): Promise<void> {
    return this.#root.close();
  }

  /** The one place where a write becomes a promise to a client. Writes that wait are committed together. */
  async #write(change: () => Promise<boolean>): Promise<boolean> {
    try {
      return await change();
    } catch (error) {
      const cause = await commitError(error);
      throw (await storageIsFull(this.#folder, cause)) ? new StorageFull({ cause }) : cause;
    }
  }
}

/** What was wrong with a commit: the library rejects a write first, and says why in a second promise. */
async function commitError(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: Promise<never> }).commitError;
  return reason === undefined ? error : reason.catch((cause: unknown) => cause);
}
