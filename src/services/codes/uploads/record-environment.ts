/**
 * The LMDB environment of the records. Commits one group of changes at a time: after a fatal error lmdb never settles
 * writes that are queued behind it, and then the environment could not be closed and reopened.
 */
import path from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { saysFull } from '../../../storage/data/full.js';
import { type PagesInUse, RecordSpace } from './record-space.js';

export interface Databases {
  /** The unnamed database; holds the others, and the entry of the write test. */
  readonly root: RootDatabase;
  /** JSON of each `UploadRecord`, encrypted. */
  readonly uploads: Database<string, string>;
  /** JSON of each `IsccResult`, encrypted. */
  readonly results: Database<string, string>;
}

/** LMDB's file in the folder of the records. */
export const DATA_FILE = 'data.mdb';

export interface Change {
  /** Makes changes with `put` and `remove`, which the commit covers. May be called again if a commit fails. */
  readonly make: (databases: Databases) => void;
  /** Size of what it puts; `undefined` if it only removes. */
  readonly bytes: number | undefined;
}

/** The environment is unusable after an I/O error, and reopening it did not help. */
export class EnvironmentBroken extends Error {
  override readonly name = 'EnvironmentBroken';
}

interface Waiting {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * With these options, a resolved write is on disk and a failed one rejects. With either option on, lmdb loses promises
 * of a failed commit: the process ends or the write never settles.
 */
const WRITES = { overlappingSync: false, eventTurnBatching: false } as const;

const DATABASES_MAX = 2;
/** A write of the meta page failed. Every later operation fails too. */
const PANIC = 'MDB_PANIC';
const CLOSE_MS_MAX = 3000;

export class RecordEnvironment {
  readonly #folder: string;
  readonly #readOnly: boolean;
  readonly #queue: Waiting[] = [];
  #root: RootDatabase;
  #databases: Databases;
  readonly #space: RecordSpace;
  #committing = false;

  constructor(folder: string, readOnly: boolean) {
    this.#folder = folder;
    this.#readOnly = readOnly;
    [this.#root, this.#databases] = this.#open();
    const inUse = () => this.#root.getStats() as PagesInUse;
    this.#space = new RecordSpace(path.join(folder, DATA_FILE), inUse);
  }

  get databases(): Databases {
    return this.#databases;
  }

  /** Resolves when the change is on disk. Changes that wait for the same commit are committed together. */
  write(change: Change): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#queue.push({ change, resolve, reject });
      if (!this.#committing) void this.#commitQueue();
    });
  }

  /** Whether the environment is unusable until it is reopened. */
  get isPanicked(): boolean {
    try {
      // A read transaction from before the error would still work.
      this.#root.resetReadTxn();
      this.#databases.uploads.doesExist('0');
      return false;
    } catch (error) {
      // The code of the error varies.
      return error instanceof Error && error.message.includes(PANIC);
    }
  }

  /** Gives up after some seconds if a write never settles. */
  close(): Promise<void> {
    return inTime(this.#root.close());
  }

  #open(): [RootDatabase, Databases] {
    const root = open({ path: this.#folder, maxDbs: DATABASES_MAX, readOnly: this.#readOnly, ...WRITES });
    const uploads = root.openDB<string, string>('uploads', { encoding: 'string' });
    const results = root.openDB<string, string>('results', { encoding: 'string' });
    return [root, { root, uploads, results }];
  }

  async #commitQueue(): Promise<void> {
    this.#committing = true;
    while (this.#queue.length > 0) await this.#commitGroup(this.#queue.splice(0));
    this.#committing = false;
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#commitOrReopen(group.map(({ change }) => change));
      for (const { resolve } of group) resolve();
    } catch (error) {
      // What doesn't fit must not fail what does.
      if (saysFull(error) && group.length > 1)
        for (const waiting of group) await this.#commitGroup([waiting]);
      else for (const { reject } of group) reject(error);
    }
  }

  async #commitOrReopen(group: readonly Change[]): Promise<void> {
    try {
      await this.#commit(group);
    } catch (error) {
      if (!this.isPanicked) throw error;
      try {
        await this.close();
        [this.#root, this.#databases] = this.#open();
        // Changes are repeatable: they put the same values, or remove what may be removed already.
        await this.#commit(group);
      } catch (cause) {
        throw new EnvironmentBroken('the records can not be written', { cause });
      }
    }
  }

  async #commit(group: readonly Change[]): Promise<void> {
    const sizes = group.flatMap(({ bytes }) => bytes ?? []);
    await this.#space.reserve(sizes.length > 0 ? sizes.reduce((sum, size) => sum + size) : undefined);
    try {
      await this.#root.batch(() => {
        for (const { make } of group) make(this.#databases);
      });
    } catch (error) {
      throw await commitError(error);
    }
  }
}

/** Why a commit failed. lmdb rejects the write first and gives the cause in a second promise. */
async function commitError(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: Promise<never> }).commitError;
  return reason === undefined ? error : reason.catch((cause: unknown) => cause);
}

/** Rejects if the environment does not close in time, because a write never settles. */
async function inTime(closing: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the environment does not close')), CLOSE_MS_MAX);
  });
  try {
    await Promise.race([closing, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
