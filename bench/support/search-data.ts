/** Assets and queries for the search benchmarks: clusters of similar codes, the same in every run. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const UNIT_BYTES = 32;
const WORDS = UNIT_BYTES / 4;
/** Headers of Meta, Content Text, Data and Instance units of 256 bits. */
const HEADERS = [
  [0x00, 0x07],
  [0x20, 0x07],
  [0x30, 0x07],
  [0x40, 0x07],
] as const;
export const UNITS = HEADERS.length;
const CLUSTER_ROWS = 10;
/** Maximum bits that differ from the cluster's centre: a quarter, the search threshold. */
const ROW_FLIPS_MAX = 64;
const QUERY_FLIPS_MAX = 32;
const FIRST_ID = 1n << 60n;
const BASE32 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const THRESHOLD = 0.75;
const EXPONENT = 4;

export interface Collection {
  readonly count: number;
  /** Units of all assets: asset by asset, unit by unit, as words. */
  readonly words: Uint32Array;
}

export interface Query {
  readonly units: Uint32Array;
}

export function makeCollection(count: number): Collection {
  const random = generator(7);
  const words = new Uint32Array(count * UNITS * WORDS);
  const centre = new Uint32Array(UNITS * WORDS);
  for (let asset = 0; asset < count; asset += 1) {
    if (asset % CLUSTER_ROWS === 0)
      for (let word = 0; word < centre.length; word += 1) centre[word] = random();
    const row = words.subarray(asset * UNITS * WORDS, (asset + 1) * UNITS * WORDS);
    row.set(centre);
    for (let unit = 0; unit < UNITS - 1; unit += 1) flip(row, unit, random() % (ROW_FLIPS_MAX + 1), random);
    // Instance-Codes of different content are unrelated.
    for (let word = (UNITS - 1) * WORDS; word < UNITS * WORDS; word += 1) row[word] = random();
  }
  return { count, words };
}

/** Queries similar to stored assets: fewer than `flipsMax` bits of each unit differ, except of the last one. */
export function makeQueries(
  { count, words }: Collection,
  queries: number,
  flipsMax = QUERY_FLIPS_MAX,
): Query[] {
  const random = generator(99);
  return Array.from({ length: queries }, () => {
    const asset = random() % count;
    const units = words.slice(asset * UNITS * WORDS, (asset + 1) * UNITS * WORDS);
    for (let unit = 0; unit < UNITS - 1; unit += 1) flip(units, unit, random() % flipsMax, random);
    return { units };
  });
}

export function unitTexts(units: Uint32Array): string[] {
  return HEADERS.map((header, unit) => {
    const bytes = Buffer.alloc(2 + UNIT_BYTES);
    bytes.set(header);
    for (let word = 0; word < WORDS; word += 1)
      bytes.writeUInt32BE(units[unit * WORDS + word] ?? 0, 2 + word * 4);
    return `ISCC:${base32(bytes)}`;
  });
}

export function assetId(asset: number): string {
  const bytes = Buffer.from([0x60, 0x10, 0, 0, 0, 0, 0, 0, 0, 0]);
  bytes.writeBigUInt64BE(FIRST_ID + BigInt(asset) * 4096n, 2);
  return `ISCC:${base32(bytes)}`;
}

/** Writes request bodies with `batch` assets each and returns their paths. */
export async function writeBatches(all: Collection, batch: number, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  for (let first = 0; first < all.count; first += batch) {
    const entries = Array.from({ length: Math.min(batch, all.count - first) }, (_, index) => {
      const asset = first + index;
      const units = all.words.subarray(asset * UNITS * WORDS, (asset + 1) * UNITS * WORDS);
      const metadata = { name: `Asset ${asset}`, source: `https://example.org/${asset}` };
      return { iscc_id: assetId(asset), units: unitTexts(units), metadata };
    });
    const file = path.join(folder, `batch-${files.length}.json`);
    await writeFile(file, JSON.stringify(entries));
    files.push(file);
  }
  return files;
}

/** ISCC-ID and score of the best `limit` assets, best first, by comparing the query with all assets. */
export function exactSearch(
  { count, words }: Collection,
  { units }: Query,
  limit: number,
): [string, number][] {
  const found: { asset: number; score: number; types: number }[] = [];
  for (let asset = 0; asset < count; asset += 1) {
    let [weighted, total, types] = [0, 0, 0];
    for (let unit = 0; unit < UNITS; unit += 1) {
      const score = 1 - differingBits(words, (asset * UNITS + unit) * WORDS, units, unit * WORDS) / 256;
      if (score < THRESHOLD || (unit === UNITS - 1 && score < 1)) continue;
      weighted += score ** EXPONENT;
      total += score;
      types += 1;
    }
    if (types > 0) found.push({ asset, score: weighted / total, types });
  }
  found.sort((a, b) => b.score - a.score || b.types - a.types || a.asset - b.asset);
  return found.slice(0, limit).map(({ asset, score }) => [assetId(asset), score]);
}

function differingBits(a: Uint32Array, aStart: number, b: Uint32Array, bStart: number): number {
  let count = 0;
  for (let word = 0; word < WORDS; word += 1) {
    let x = (a[aStart + word] ?? 0) ^ (b[bStart + word] ?? 0);
    x -= (x >>> 1) & 0x5555_5555;
    x = (x & 0x3333_3333) + ((x >>> 2) & 0x3333_3333);
    count += (((x + (x >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24;
  }
  return count;
}

function flip(row: Uint32Array, unit: number, flips: number, random: () => number): void {
  for (let count = 0; count < flips; count += 1) {
    const bit = random() % 256;
    const word = unit * WORDS + (bit >>> 5);
    row[word] = (row[word] ?? 0) ^ (1 << (bit & 31));
  }
}

function base32(bytes: Buffer): string {
  const text = Buffer.alloc(Math.ceil((bytes.length * 8) / 5));
  let [value, bits, at] = [0, 0, 0];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) {
      text[at] = BASE32[(value >>> (bits - 5)) & 31] ?? 0;
      at += 1;
    }
    value &= 0xff;
  }
  if (bits > 0) text[at] = BASE32[(value << (5 - bits)) & 31] ?? 0;
  return text.toString('latin1');
}

/** A generator of 32 pseudo-random bits per call (Numerical Recipes' LCG with improved low bits). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state ^ (Math.imul(state >>> 15, 0x2c1b_3c6d) >>> 0)) >>> 0;
  };
}
