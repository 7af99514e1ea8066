/**
 * Records and results of uploads in LMDB, encrypted and keyed by media id. A file without a record does not exist; the
 * record is written last and removed first.
 */
import { chmod, mkdir, truncate } from 'node:fs/promises';
import path from 'node:path';
import { open } from 'lmdb';
import { isBlankFile } from '../../../storage/data/blank-file.js';
import { syncPath } from '../../../storage/data/durable.js';
import { StorageFull, storageIsFull } from '../../../storage/data/full.js';
import { LastWrite } from '../../../storage/data/last-write.js';
import { createPrivate } from '../../../storage/data/private-file.js';
import { Unavailable } from '../errors.js';
import type { IsccResult } from '../result.js';
import { firstMediaIdAt, type MediaId } from './media-id.js';
import { type Change, DATA_FILE, EnvironmentBroken, RecordEnvironment } from './record-environment.js';
import { RecordKeys } from './record-keys.js';
import type { UploadRecord, UploadRecords } from './records-port.js';

const WRITE_TEST_KEY = 'write test';

/** A commit takes milliseconds; after this time the disk hangs. */
const WRITE_MS_MAX = 10_000;

export interface RecordsOptions {
  /** Called once if records can't be written any more, also after reopening. The process should restart. */
  readonly onBroken?: (error: unknown) => void;
  /** Time limit of a write in milliseconds; above it the write may still happen. */
  readonly writeMsMax?: number;
}

export class Records implements UploadRecords {
  readonly #folder: string;
  readonly #environment: RecordEnvironment;
  readonly #keys: RecordKeys;
  readonly #options: RecordsOptions;
  readonly #last: LastWrite = new LastWrite(() => this.#write((write) => write(this.#writeTest())));
  /** Size of the last change that failed. */
  #failedBytes = 0;

  private constructor(folder: string, readOnly: boolean, options: RecordsOptions = {}) {
    this.#folder = folder;
    this.#environment = new RecordEnvironment(folder, readOnly);
    this.#keys = readOnly ? new RecordKeys(folder) : RecordKeys.open(folder);
    this.#options = options;
  }

  static async open(folder: string, options?: RecordsOptions): Promise<Records> {
    await mkdir(folder, { recursive: true });
    // LMDB creates an environment in an empty file. One of zeros would crash the process.
    if (await Records.areBlank(folder)) await truncate(path.join(folder, DATA_FILE));
    createPrivate(path.join(folder, DATA_FILE));
    const records = new Records(folder, false, options);
    // The names of a new folder and of its files.
    await syncPath(folder);
    await syncPath(path.dirname(folder));
    return records;
  }

  /** Whether a power loss at their creation left a file without any record. */
  static areBlank(folder: string): Promise<boolean> {
    return isBlankFile(path.join(folder, DATA_FILE));
  }

  /** Opens existing records that are not blank. Another process may be writing them. */
  static openToRead(folder: string): Records {
    return new Records(folder, true);
  }

  /** Copies the last committed state into a new folder, durably. Another process may be writing. */
  static async copy(folder: string, target: string): Promise<void> {
    await mkdir(target, { recursive: true });
    // Before: later ones may be destroyed meanwhile. After: the copy may have records with new ones.
    await RecordKeys.copy(folder, target);
    const source = open({ path: folder, maxDbs: 2, readOnly: true });
    try {
      await source.backup(target, true);
    } finally {
      await source.close();
    }
    // lmdb gives the copy the usual rights.
    await chmod(path.join(target, DATA_FILE), 0o600);
    await syncPath(path.join(target, DATA_FILE));
    await RecordKeys.copy(folder, target);
    await syncPath(target);
  }

  /** Why the last write failed; `undefined` if it succeeded. A failed write is repeated first, as a test. */
  problem(): Promise<string | undefined> {
    return this.#last.problem();
  }

  find(id: MediaId): UploadRecord | undefined {
    return this.#parsed<UploadRecord>(id, this.#uploads.get(id));
  }

  /** Keys of all records in ascending order. */
  ids(): Iterable<string> {
    return this.#uploads.getKeys();
  }

  resultIds(): Iterable<string> {
    return this.#environment.databases.results.getKeys();
  }

  has(id: string): boolean {
    return this.#uploads.doesExist(id);
  }

  findResult(id: MediaId): IsccResult | undefined {
    return this.#parsed<IsccResult>(id, this.#environment.databases.results.get(id));
  }

  /**
   * Resolves when both are on disk.
   *
   * @throws {StorageFull} if the disk is full; nothing is stored then
   * @throws {Unavailable} after a timeout; both may still be stored
   */
  async add(id: MediaId, record: UploadRecord, result?: IsccResult): Promise<void> {
    await this.#write((write) => this.#keys.during(id, () => write(this.#addition(id, record, result))));
  }

  /** Changes the creation time of an upload that still exists. */
  async setCreatedAt(id: MediaId, createdAt: number): Promise<void> {
    const record = this.find(id);
    if (record === undefined || this.#removing.has(id)) return;
    await this.add(id, { ...record, createdAt });
  }

  /** Resolves to whether the upload existed. Of concurrent removals only one resolves to true. */
  async remove(id: MediaId): Promise<boolean> {
    if (this.#removing.has(id) || !this.has(id)) return false;
    this.#removing.add(id);
    try {
      const make: Change['make'] = ({ uploads, results }) => {
        void uploads.remove(id);
        void results.remove(id);
      };
      await this.#write((write) => write({ make, bytes: undefined }));
      return true;
    } finally {
      this.#removing.delete(id);
    }
  }

  /** Ids of uploads created before `time` (milliseconds since the epoch), oldest first. */
  createdBefore(time: number, countMax: number): MediaId[] {
    return [...this.#uploads.getKeys({ end: firstMediaIdAt(time), limit: countMax })] as MediaId[];
  }

  /** Ids of uploads created at `time` or later. Ids in the future were created while the clock was ahead, or after. */
  createdFrom(time: number): MediaId[] {
    return [...this.#uploads.getKeys({ start: firstMediaIdAt(time) })] as MediaId[];
  }

  /** Makes what was removed unreadable: the keys of past hours without uploads are destroyed. */
  forgetRemoved(): Promise<void> {
    const isUsed = (beginning: string) => {
      const [first] = this.#uploads.getKeys({ start: beginning, limit: 1 });
      return first?.startsWith(beginning) === true;
    };
    return this.#keys.forget(isUsed, firstMediaIdAt(Date.now()));
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  /** Ids being removed. */
  readonly #removing = new Set<MediaId>();

  #addition(id: MediaId, record: UploadRecord, result?: IsccResult): Change {
    const recordText = this.#keys.seal(id, JSON.stringify(record));
    const resultText = result && this.#keys.seal(id, JSON.stringify(result));
    const make: Change['make'] = ({ uploads, results }) => {
      void uploads.put(id, recordText);
      if (resultText !== undefined) void results.put(id, resultText);
    };
    return { make, bytes: recordText.length + (resultText?.length ?? 0) };
  }

  #parsed<T>(id: MediaId, sealed: string | undefined): T | undefined {
    return sealed === undefined ? undefined : (JSON.parse(this.#keys.unseal(id, sealed)) as T);
  }

  get #uploads() {
    return this.#environment.databases.uploads;
  }

  /** A change that needs as much space as the last one that failed. */
  #writeTest(): Change {
    const make: Change['make'] = ({ root }) => void root.put(WRITE_TEST_KEY, Date.now());
    return { make, bytes: this.#failedBytes };
  }

  /** All durable writes go through here. */
  async #write(work: (write: (change: Change) => Promise<void>) => Promise<void>): Promise<void> {
    let bytes = 0;
    const write = (change: Change) => {
      bytes = change.bytes ?? 0;
      return this.#environment.write(change);
    };
    try {
      await this.#inTime(work(write));
      this.#last.succeeded();
    } catch (error) {
      this.#failedBytes = bytes;
      const isFull = !(error instanceof Unavailable) && (await storageIsFull(this.#folder, error));
      const shown = isFull ? new StorageFull({ cause: error }) : error;
      this.#last.failed(shown, 'the last upload could not be recorded');
      if (error instanceof EnvironmentBroken || this.#environment.isPanicked) this.#options.onBroken?.(error);
      throw shown;
    }
  }

  async #inTime(write: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(new Unavailable('RECORDS_UNAVAILABLE'));
      timer = setTimeout(fail, this.#options.writeMsMax ?? WRITE_MS_MAX);
    });
    try {
      await Promise.race([write, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
