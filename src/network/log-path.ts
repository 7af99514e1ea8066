/** Files of a served log (C2SP tlog-tiles): their paths, and hashes as JSON has them. */
import { native } from '../native.js';
import { BLOCK } from './log-files.js';

export const HASH_BYTES = 32;
const TILE = /^tile\/(?:(entries)|(\d|[1-5]\d|6[0-3]))\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** A file of a log. */
export interface LogFile {
  readonly bytes: Buffer;
  /** Whether it will never change. */
  readonly isFull: boolean;
}

/** An entry bundle, or a tile of hashes of a level. */
export interface NamedTile {
  readonly level: 'entries' | number;
  readonly index: number;
  /** Entries or hashes, 1 to 256. */
  readonly width: number;
}

/** What a path below the log's prefix names; `undefined` unless it is in the canonical form. */
export function parsedTile(path: string): NamedTile | undefined {
  const [, entries, digit, digits = '', partial] = TILE.exec(path) ?? [];
  if (entries === undefined && digit === undefined) return undefined;
  const index = Number(digits.replace(/[x/]/g, ''));
  const width = partial === undefined ? BLOCK : Number(partial);
  if (width > BLOCK || (partial !== undefined && width === BLOCK) || !Number.isSafeInteger(index * BLOCK))
    return undefined;
  const level = digit === undefined ? 'entries' : Number(digit);
  const canonical =
    level === 'entries' ? native.logEntriesPath(index, width) : native.logTilePath(level, index, width);
  return canonical === path ? { level, index, width } : undefined;
}

/** Hashes that follow one another, in Base64. */
export function hashTexts(hashes: Buffer): string[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES).toString('base64'),
  );
}
