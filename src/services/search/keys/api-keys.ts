/** Checks the API key of a request. */
import { timingSafeEqual } from 'node:crypto';
import { statSync } from 'node:fs';
import { SearchRefusal } from '../errors.js';
import { Access } from './access.js';
import { digestOf, readKeys, type StoredKey } from './key-file.js';

/** A change of the file takes effect after at most this time. */
const RECHECK_MS = 1000;

export class ApiKeys {
  readonly #secret: Buffer | undefined;
  readonly #file: string;
  readonly #onProblem: (error: unknown) => void;
  /** By digest. `undefined` while there has not been a file. */
  #keys: ReadonlyMap<string, Access> | undefined;
  #seen: string | undefined;
  #checkedAt = performance.now();

  /**
   * @param secret a key with all rights
   * @param file of further keys; it may not exist yet
   * @param onProblem called if the file becomes invalid while the service runs; its earlier keys stay valid
   * @throws {FormatRefused} if the file is invalid
   */
  constructor(secret: string | undefined, file: string, onProblem: (error: unknown) => void = () => {}) {
    this.#secret = secret === undefined ? undefined : Buffer.from(digestOf(secret));
    this.#file = file;
    this.#onProblem = onProblem;
    this.#seen = versionOf(file);
    this.#load();
  }

  /** Whether requests need a key. */
  get isRequired(): boolean {
    return this.#secret !== undefined || this.#keys !== undefined;
  }

  /**
   * What the sender of a key may do.
   *
   * @throws {SearchRefusal} 401 if the key is missing or unknown
   */
  access(key: string | undefined): Access {
    this.#reload();
    if (!this.isRequired) return Access.full;
    if (key === undefined) throw new SearchRefusal('UNAUTHORIZED');
    const digest = digestOf(key);
    // Digests of equal length: neither timing nor the length reveals the secret.
    if (this.#secret !== undefined && timingSafeEqual(Buffer.from(digest), this.#secret)) return Access.full;
    const access = this.#keys?.get(digest);
    if (access === undefined) throw new SearchRefusal('UNAUTHORIZED');
    return access;
  }

  /** Reads the file again if it has changed. A service that needed a key once never becomes public while it runs. */
  #reload(): void {
    const now = performance.now();
    if (now - this.#checkedAt < RECHECK_MS) return;
    this.#checkedAt = now;
    const version = versionOf(this.#file);
    if (version === this.#seen) return;
    this.#seen = version;
    try {
      this.#load();
    } catch (error) {
      this.#onProblem(error);
    }
  }

  #load(): void {
    const keys = readKeys(this.#file);
    if (keys !== undefined) this.#keys = new Map(keys.map(accessOf));
    else if (this.#keys !== undefined) this.#keys = new Map();
  }
}

function accessOf({ sha256, rights, indexes }: StoredKey): readonly [string, Access] {
  return [sha256, new Access(rights, indexes)];
}

/** Changes with each version of the file; `undefined` if it does not exist. Takes microseconds. */
function versionOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    // Another reason than that it does not exist is a change, too; reading it fails then.
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : message;
  }
}
