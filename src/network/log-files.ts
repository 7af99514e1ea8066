/** Fetches the files of a hub's log: checkpoints, entry bundles and tiles of block roots. */
import { type LogBundle, type LogMaterial, native } from '../native.js';
import { assertionKeys, DID_DOCUMENT_BYTES_MAX, didDocumentUrl, didOfOrigin } from './did-document.js';
import type { Fetched, HubClient } from './hub-client.js';

/** Entries of a block: a full bundle, and the leaves below one hash of a level-1 tile. */
export const BLOCK = 256;
const HASH_BYTES = 32;
const CHECKPOINT_BYTES_MAX = 131_072;
const BUNDLE_BYTES_MAX = BLOCK * 65_537;
const SMALL_TIMEOUT_MS = 10_000;
const FILE_TIMEOUT_MS = 60_000;
/** Bundles that are fetched ahead of the one in work. */
const AHEAD = 4;

/** The hub did not give a file that a verified checkpoint promises. */
export class FileUnavailable extends Error {
  override readonly name = 'FileUnavailable';
  /** Whether the hub returned 404; otherwise it gave no usable response. */
  readonly isMissing: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(path: string, fetched: Exclude<Fetched, { kind: 'ok' }>) {
    super(fetched.kind === 'missing' ? `${path} is missing` : `${path}: ${fetched.reason}`);
    this.isMissing = fetched.kind === 'missing';
    this.retryAfterMs = fetched.kind === 'failed' ? fetched.retryAfterMs : undefined;
  }
}

/** The files of one hub's log. */
export class LogFiles {
  readonly #client: HubClient;
  readonly #url: string;
  readonly #signal: AbortSignal;
  readonly #noCache: boolean;

  constructor(client: HubClient, url: string, signal: AbortSignal, noCache = false) {
    this.#client = client;
    this.#url = url;
    this.#signal = signal;
    this.#noCache = noCache;
  }

  /** The same files, past all caches. */
  uncached(): LogFiles {
    return new LogFiles(this.#client, this.#url, this.#signal, true);
  }

  /** @throws {FileUnavailable} */
  checkpoint(): Promise<Buffer> {
    return this.#get('checkpoint', 'checkpoint', CHECKPOINT_BYTES_MAX, SMALL_TIMEOUT_MS);
  }

  /** Keys of the hub's did:web document; `undefined` if it can't be read. */
  async didKeys(origin: string): Promise<readonly string[] | undefined> {
    const fetched = await this.#client.get(didDocumentUrl(this.#url), {
      resource: 'did',
      bytesMax: DID_DOCUMENT_BYTES_MAX,
      timeoutMs: SMALL_TIMEOUT_MS,
      signal: this.#signal,
    });
    if (fetched.kind !== 'ok') return undefined;
    try {
      return assertionKeys(JSON.parse(fetched.bytes.toString()), didOfOrigin(origin));
    } catch {
      return undefined;
    }
  }

  /**
   * The bundle of a block in a tree of `size` entries.
   *
   * @throws {FileUnavailable}
   */
  async bundle(block: number, size: number): Promise<LogBundle> {
    const width = widthOf(block, size);
    const path = native.logEntriesPath(block, width);
    try {
      return { block, width, bytes: await this.#get('bundle', path, BUNDLE_BYTES_MAX, FILE_TIMEOUT_MS) };
    } catch (error) {
      if (!(error instanceof FileUnavailable && error.isMissing && width < BLOCK)) throw error;
      // Logs may drop a partial bundle once the full one exists.
      const full = native.logEntriesPath(block, BLOCK);
      const bytes = await this.#get('bundle', full, BUNDLE_BYTES_MAX, FILE_TIMEOUT_MS);
      return { block, width, bytes: firstRecords(bytes, width) };
    }
  }

  /** Bundles of consecutive blocks in their order, some fetched ahead. @throws {FileUnavailable} */
  async *bundles(first: number, size: number): AsyncGenerator<LogBundle> {
    const end = Math.ceil(size / BLOCK);
    const fetching: Promise<LogBundle>[] = [];
    try {
      for (let block = first, next = first; block < end; block += 1) {
        for (; next < end && next < block + AHEAD; next += 1) {
          const fetched = this.bundle(next, size);
          // It may fail before its turn comes; then the failure is read with it.
          fetched.catch(() => undefined);
          fetching.push(fetched);
        }
        const bundle = fetching.shift();
        if (bundle !== undefined) yield await bundle;
      }
    } finally {
      await Promise.allSettled(fetching);
    }
  }

  /**
   * Roots of the full blocks from `first` on in a tree of `size` entries, one after another.
   *
   * @throws {FileUnavailable}
   */
  async blockRoots(first: number, size: number): Promise<Buffer> {
    const blocks = Math.floor(size / BLOCK);
    const roots: Buffer[] = [];
    for (let tile = Math.floor(first / BLOCK); tile * BLOCK < blocks; tile += 1) {
      const width = Math.min(BLOCK, blocks - tile * BLOCK);
      const bytes = await this.#tile(tile, width);
      roots.push(bytes.subarray(Math.max(0, first - tile * BLOCK) * HASH_BYTES));
    }
    return Buffer.concat(roots);
  }

  /** Roots at two sizes from the log's own files alone, and the proof that the larger tree begins with the smaller one. @throws {FileUnavailable} */
  async material(oldSize: number, size: number): Promise<LogMaterial> {
    const blocks = await this.blockRoots(0, size);
    const wanted = new Set<number>();
    if (size % BLOCK > 0) wanted.add(Math.floor(size / BLOCK));
    if (oldSize % BLOCK > 0) wanted.add(Math.floor(oldSize / BLOCK));
    const bundles: LogBundle[] = [];
    for (const block of wanted) bundles.push(await this.bundle(block, size));
    return native.logMaterial(blocks, bundles, oldSize, size);
  }

  async #tile(index: number, width: number): Promise<Buffer> {
    const bytes = await this.#tileBytes(index, width);
    if (bytes.length === width * HASH_BYTES) return bytes;
    throw new FileUnavailable(native.logTilePath(1, index, width), { kind: 'missing' });
  }

  async #tileBytes(index: number, width: number): Promise<Buffer> {
    const fetch = (wanted: number) =>
      this.#get('tile', native.logTilePath(1, index, wanted), wanted * HASH_BYTES, FILE_TIMEOUT_MS);
    try {
      return await fetch(width);
    } catch (error) {
      if (!(error instanceof FileUnavailable && error.isMissing && width < BLOCK)) throw error;
      return (await fetch(BLOCK)).subarray(0, width * HASH_BYTES);
    }
  }

  async #get(
    resource: 'checkpoint' | 'bundle' | 'tile',
    path: string,
    bytesMax: number,
    timeoutMs: number,
  ): Promise<Buffer> {
    const options = { resource, bytesMax, timeoutMs, noCache: this.#noCache, signal: this.#signal };
    const fetched = await this.#client.get(`${this.#url}/log/${path}`, options);
    if (fetched.kind === 'ok') return fetched.bytes;
    throw new FileUnavailable(path, fetched);
  }
}

/** Entries of a block in a tree of `size` entries. */
export function widthOf(block: number, size: number): number {
  return Math.min(BLOCK, size - block * BLOCK);
}

/** The part of a bundle with its first records; too short a bundle stays as it is and fails later. */
export function firstRecords(bundle: Buffer, count: number): Buffer {
  return wholeRecords(bundle, count) ?? bundle;
}

/** The part of a bundle with its first records; `undefined` if it has fewer. */
export function wholeRecords(bundle: Buffer, count: number): Buffer | undefined {
  let end = 0;
  for (let record = 0; record < count; record += 1) {
    if (end + 2 > bundle.length) return undefined;
    end += 2 + bundle.readUInt16BE(end);
  }
  return end > bundle.length ? undefined : bundle.subarray(0, end);
}
