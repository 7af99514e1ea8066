/**
 * Keys that make records unreadable when they are gone. LMDB leaves removed values in free pages, also after they were
 * overwritten. So records are encrypted with a key for some two hours each, in a file of its own, and a key is destroyed
 * when no record of its time is left.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncPath } from '../../../storage/data/durable.js';
import type { MediaId } from './media-id.js';

const FOLDER = 'keys';
/** An id begins with its time: so many characters change every 2^23 ms, which are 2.3 hours. */
const PERIOD_CHARACTERS = 5;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class RecordKeys {
  readonly #folder: string;
  readonly #keys = new Map<string, Buffer>();
  readonly #made = new Map<string, Promise<void>>();
  readonly #destroyed = new Map<string, Promise<void>>();
  /** Records that are being written, by period. */
  readonly #writing = new Map<string, number>();

  /** @param records the folder of the records */
  constructor(records: string) {
    this.#folder = path.join(records, FOLDER);
  }

  /** Creates the folder, and reads the keys. */
  static open(records: string): RecordKeys {
    const keys = new RecordKeys(records);
    mkdirSync(keys.#folder, { recursive: true, mode: 0o700 });
    for (const period of readdirSync(keys.#folder)) keys.#key(period);
    return keys;
  }

  /** Copies keys that a folder does not have, durably. Another process may be writing and removing some. */
  static async copy(records: string, target: string): Promise<void> {
    const [from, to] = [path.join(records, FOLDER), path.join(target, FOLDER)];
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const period of await readdir(from)) {
      await copyFile(path.join(from, period), path.join(to, period)).catch(ignoreMissing);
      await syncPath(path.join(to, period)).catch(ignoreMissing);
    }
    await syncPath(to);
  }

  /** Paths of the files in the folder of the records. */
  static async files(records: string): Promise<string[]> {
    return (await readdir(path.join(records, FOLDER))).map((period) => path.posix.join(FOLDER, period));
  }

  /** Runs `write`, during which the key for records of an id exists, durably, and is not destroyed. */
  async during<T>(id: MediaId, write: () => Promise<T>): Promise<T> {
    const period = periodOf(id);
    this.#writing.set(period, (this.#writing.get(period) ?? 0) + 1);
    try {
      await this.#exists(period);
      return await write();
    } finally {
      const left = (this.#writing.get(period) ?? 1) - 1;
      if (left === 0) this.#writing.delete(period);
      else this.#writing.set(period, left);
    }
  }

  /** The encrypted form of a text, for the id only. Call it in {@link during}. */
  seal(id: MediaId, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(periodOf(id)), nonce);
    cipher.setAAD(Buffer.from(id));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** @throws if the key is gone, or the text is not what {@link seal} returned for the id */
  unseal(id: MediaId, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const start = NONCE_BYTES + TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key(periodOf(id)), bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(id));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, start));
    return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString('utf8');
  }

  /**
   * Destroys the keys of past periods without records.
   *
   * @param isUsed whether a record has an id that begins so
   * @param now an id of this moment, whose period is kept
   */
  async forget(isUsed: (period: string) => boolean, now: MediaId): Promise<void> {
    for (const period of this.#keys.keys()) {
      if (period === periodOf(now) || this.#writing.has(period) || isUsed(period)) continue;
      this.#keys.delete(period);
      const destroyed = this.#destroy(period);
      this.#destroyed.set(period, destroyed);
      try {
        await destroyed;
      } finally {
        this.#destroyed.delete(period);
      }
    }
  }

  async #destroy(period: string): Promise<void> {
    const file = path.join(this.#folder, period);
    const handle = await open(file, 'r+');
    try {
      await handle.write(Buffer.alloc(KEY_BYTES), 0, KEY_BYTES, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rm(file);
    await syncPath(this.#folder);
  }

  async #exists(period: string): Promise<void> {
    await this.#destroyed.get(period)?.catch(() => undefined);
    if (this.#keys.has(period)) return;
    const made = this.#made.get(period) ?? this.#make(period);
    this.#made.set(period, made);
    await made;
  }

  async #make(period: string): Promise<void> {
    try {
      const key = randomBytes(KEY_BYTES);
      const handle = await open(path.join(this.#folder, period), 'w', 0o600);
      try {
        await handle.write(key);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await syncPath(this.#folder);
      this.#keys.set(period, key);
    } finally {
      this.#made.delete(period);
    }
  }

  /** A key that another process made is read when it is needed. */
  #key(period: string): Buffer {
    const known = this.#keys.get(period);
    if (known !== undefined) return known;
    const key = readFileSync(path.join(this.#folder, period));
    // A crash at its creation left it incomplete. No record was written with it.
    if (key.length === KEY_BYTES) this.#keys.set(period, key);
    return key;
  }
}

function periodOf(id: MediaId): string {
  return id.slice(0, PERIOD_CHARACTERS);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
