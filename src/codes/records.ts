/**
 * Records and results of uploads in LMDB: two databases, both keyed by media id. A file without a record does not
 * exist; the record is written last and removed first.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Database, IF_EXISTS, open, type RootDatabase } from 'lmdb';
import { syncPath } from '../data/durable.js';
import { StorageFull, storageIsFull } from '../data/full.js';
import { firstMediaIdAt, type MediaId } from './media-id.js';
import type { IsccResult } from './result.js';

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

/**
 * With these options, a resolved write is on disk and a failed one rejects. With either option on, lmdb loses promises
 * of a failed commit: the process ends or the write never settles.
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

  /** Opens existing records, which another process may be writing. */
  static openToRead(folder: string): Records {
    return new Records(folder, true);
  }

  /** Copies the last committed state into a new folder, durably. Another process may be writing. */
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

  /** Keys of all records in ascending order. */
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

  /** Resolves when both are on disk. @throws {StorageFull} if the disk is full; nothing is stored then */
  async add(id: MediaId, record: UploadRecord, result?: IsccResult): Promise<void> {
    await this.#write(() =>
      this.#root.batch(() => {
        void this.#uploads.put(id, record);
        if (result !== undefined) void this.#results.put(id, result);
      }),
    );
  }

  /** Resolves to whether the upload existed. Of two concurrent removals only one resolves to true. */
  remove(id: MediaId): Promise<boolean> {
    return this.#write(() =>
      this.#uploads.ifVersion(id, IF_EXISTS, () => {
        void this.#uploads.remove(id);
        void this.#results.remove(id);
      }),
    );
  }

  /** Ids of uploads created before `time` (milliseconds since the epoch), oldest first. */
  createdBefore(time: number, countMax: number): MediaId[] {
    return [...this.#uploads.getKeys({ end: firstMediaIdAt(time), limit: countMax })] as MediaId[];
  }

  close(): Promise<void> {
    return this.#root.close();
  }

  /** All durable writes go through here. Concurrent writes are committed together. */
  async #write(change: () => Promise<boolean>): Promise<boolean> {
    try {
      return await change();
    } catch (error) {
      const cause = await commitError(error);
      throw (await storageIsFull(this.#folder, cause)) ? new StorageFull({ cause }) : cause;
    }
  }
}

/** Why a commit failed. lmdb rejects the write first and gives the cause in a second promise. */
async function commitError(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: Promise<never> }).commitError;
  return reason === undefined ? error : reason.catch((cause: unknown) => cause);
}
