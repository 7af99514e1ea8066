/**
 * The store's transparency log as others see it: signed checkpoints, tiles, bundles of entries (C2SP tlog-tiles), and inclusion
 * proofs. All of it is a function of the rows and the key, so all processes of a database serve the same log, without a job.
 */

import { type LogNode, native } from '../../../native.js';
import { HASH_BYTES, hashTexts, type LogFile, parsedTile } from '../../../network/log-path.js';
import type { SigningKey } from '../../../platform/signing/key.js';
import type { Db } from '../../../storage/database/tables.js';
import { recordOf } from './entries.js';

/** Levels above the leaves of one tile. */
const TILE_LEVELS = 8;
const TILE_WIDTH = 2 ** TILE_LEVELS;
/** A tile of a higher level would cover more entries than numbers are exact for. */
const TILE_LEVEL_MAX = 5;
const LENGTH_BYTES = 2;

export interface LogHead {
  readonly size: number;
  readonly root: Buffer;
}

/** That an entry is in the log. */
export type EntryProof = {
  /** Address of the log. */
  readonly uri: string;
  /** The entry, verbatim. */
  readonly entry: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  /** The signed note, verbatim. */
  readonly checkpoint: string;
  /** Base64, from the entry up. */
  readonly inclusionProof: readonly string[];
};

/** Name of the log of the store at an address, in checkpoints: without the scheme, as the C2SP recommends. */
export function logOrigin(storeUrl: string): string {
  return `${storeUrl.replace(/^https?:\/\//, '')}/log`;
}

export class StoreLog {
  readonly #db: Db;
  readonly #uri: string;
  readonly #origin: string;

  /** @param storeUrl public base address of the store */
  constructor(db: Db, storeUrl: string) {
    this.#db = db;
    this.#uri = `${storeUrl}/log`;
    this.#origin = logOrigin(storeUrl);
  }

  /** The signed head of the log as it is now. */
  async checkpoint(key: SigningKey): Promise<string> {
    return this.#signed(await logHead(this.#db), key);
  }

  /**
   * The proof that the entry of a manifest's upload is in the log, with the checkpoint that ends with this entry: it is the
   * same each time. An entry is committed with its manifest, so there is one for each manifest that was acknowledged.
   */
  async storedProof(manifestKey: number, key: SigningKey): Promise<EntryProof> {
    const { leaf, ...row } = await this.#db
      .selectFrom('log_entries')
      .selectAll()
      .where('manifest_key', '=', manifestKey)
      .where('act', '=', 'stored')
      .executeTakeFirstOrThrow();
    const size = leaf + 1;
    const root = await rootAt(this.#db, size);
    const nodes = await nodesOf(this.#db, native.logInclusionNodes(leaf, size));
    return {
      uri: this.#uri,
      entry: recordOf(row).toString(),
      leafIndex: leaf,
      treeSize: size,
      checkpoint: this.#signed({ size, root }, key),
      inclusionProof: hashTexts(native.logInclusionProof(leaf, size, nodes)),
    };
  }

  /** Whether the log began with this head. */
  async hasHead({ size, root }: LogHead): Promise<boolean> {
    const head = await logHead(this.#db);
    return size <= head.size && (await rootAt(this.#db, size)).equals(root);
  }

  /** A tile or a bundle of entries. @param path below the address of the log, in its canonical form */
  async file(path: string): Promise<LogFile | undefined> {
    const named = parsedTile(path);
    if (named === undefined) return undefined;
    const { level, index, width } = named;
    const tileLevel = level === 'entries' ? 0 : level;
    const first = index * TILE_WIDTH;
    const { size } = await logHead(this.#db);
    const isInLog = (first + width) * TILE_WIDTH ** tileLevel <= size;
    if (tileLevel > TILE_LEVEL_MAX || !isInLog) return undefined;
    const bytes =
      level === 'entries' ? await this.#bundle(first, width) : await this.#tile(level, first, width);
    return { bytes, isFull: width === TILE_WIDTH };
  }

  #signed({ size, root }: LogHead, key: SigningKey): string {
    const text = native.logCheckpointText(this.#origin, size, root);
    return native.logCheckpoint(text, this.#origin, key.publicKey, key.sign(Buffer.from(text)));
  }

  async #tile(tileLevel: number, first: number, width: number): Promise<Buffer> {
    const level = tileLevel * TILE_LEVELS;
    return nodesOf(
      this.#db,
      Array.from({ length: width }, (_, at) => ({ level, index: first + at })),
    );
  }

  async #bundle(first: number, width: number): Promise<Buffer> {
    const rows = await this.#db
      .selectFrom('log_entries')
      .select(['act', 'at', 'statement'])
      .where('leaf', '>=', first)
      .where('leaf', '<', first + width)
      .orderBy('leaf')
      .execute();
    return Buffer.concat(
      rows.flatMap((row) => {
        const record = recordOf(row);
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeUInt16BE(record.length);
        return [length, record];
      }),
    );
  }
}

/** The present head. */
export async function logHead(db: Db): Promise<LogHead> {
  const { size, peaks } = await db.selectFrom('log_head').selectAll().executeTakeFirstOrThrow();
  return { size, root: native.logRoot(size, peaks) };
}

/** The root of the first entries. */
export async function rootAt(db: Db, size: number): Promise<Buffer> {
  return native.logRoot(size, await nodesOf(db, native.logPeaks(size)));
}

/** Hashes of nodes, in their order. Each is in the row of the last entry below it. */
async function nodesOf(db: Db, nodes: readonly LogNode[]): Promise<Buffer> {
  const leafOf = ({ level, index }: LogNode) => (index + 1) * 2 ** level - 1;
  const rows =
    nodes.length === 0
      ? []
      : await db
          .selectFrom('log_entries')
          .select(['leaf', 'nodes'])
          .where('leaf', 'in', nodes.map(leafOf))
          .execute();
  const found = new Map(rows.map((row) => [row.leaf, row.nodes]));
  return Buffer.concat(
    nodes.map((node) => {
      const start = node.level * HASH_BYTES;
      const hash = found.get(leafOf(node))?.subarray(start, start + HASH_BYTES);
      if (hash?.length !== HASH_BYTES)
        throw new Error(`entry ${leafOf(node)} of the log is missing or damaged`);
      return hash;
    }),
  );
}
