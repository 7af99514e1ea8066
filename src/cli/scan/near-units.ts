/**
 * Which units are similar: by exact search, so that the result is that of a comparison of all pairs. It is kept in a
 * file: a later call compares only new units, and those that were connected through a unit that is missing now.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { decodeCode } from '../../iscc/codec.js';
import { native, type SearchEngine } from '../../native.js';
import { Slots } from '../../platform/slots.js';
import { Forest } from './forest.js';
import { replaceFile } from './replace-file.js';

/** Two similar units, by their numbers. */
export interface NearUnits {
  readonly a: number;
  readonly b: number;
  /** Number of differing bits of 256. */
  readonly distance: number;
}

export interface NearOptions {
  readonly distance: number;
  /** Folder for an index, which is made and removed. */
  readonly folder: string;
  /** Keeps what was compared. */
  readonly file: string;
}

const UNIT_BITS = 256;

/**
 * Pairs of units that differ in at most `distance` bits: enough to connect what all pairs connect, and the closest of
 * each unit. Of equal distances, the first unit.
 */
export async function nearUnits(units: readonly string[], options: NearOptions): Promise<NearUnits[]> {
  const known = await readKnown(options);
  const { pairs, missing } = stillKnown(known, units);
  if (missing.length === 0 && known.units.length === units.length) return pairs;
  const kept = new Kept(units.length);
  for (const pair of pairs) kept.add(pair);
  if (units.length > 1 && missing.length > 0) await search(units, missing, options, (pair) => kept.add(pair));
  const found = kept.pairs();
  await replaceFile(options.file, knownLines(units, found, options.distance));
  return found;
}

/** All pairs of a query (`a`) and a unit (`b`) that differ in at most `distance` bits. */
export async function similarTo(
  queries: readonly string[],
  units: readonly string[],
  options: NearOptions,
): Promise<NearUnits[]> {
  if (queries.length === 0 || units.length === 0) return [];
  const all = [...units, ...queries];
  const wanted = queries.map((_, at) => units.length + at);
  const pairs: NearUnits[] = [];
  await search(all, wanted, options, (pair) => pairs.push(pair), units.length);
  return pairs.map(({ a, b, distance }) => ({ a: a - units.length, b, distance }));
}

/** Keeps of all pairs a forest, and the closest of each unit. */
class Kept {
  readonly #forest: Forest;
  readonly #pairs = new Set<NearUnits>();
  readonly #closest = new Map<number, NearUnits>();

  constructor(units: number) {
    this.#forest = new Forest(units);
  }

  add(pair: NearUnits): void {
    if (this.#forest.join(pair.a, pair.b)) this.#pairs.add(pair);
    for (const unit of [pair.a, pair.b]) {
      const closest = this.#closest.get(unit);
      if (closest === undefined || isCloser(pair, closest)) this.#closest.set(unit, pair);
    }
  }

  pairs(): NearUnits[] {
    return [...new Set([...this.#pairs, ...this.#closest.values()])];
  }
}

function isCloser(one: NearUnits, other: NearUnits): boolean {
  if (one.distance !== other.distance) return one.distance < other.distance;
  return one.a + one.b < other.a + other.b;
}

interface Known {
  readonly units: readonly string[];
  readonly pairs: readonly NearUnits[];
}

/** Known pairs by the numbers of today, and the units that need a search. */
function stillKnown(known: Known, units: readonly string[]) {
  const numbers = new Map(units.map((unit, at) => [unit, at]));
  const connected = new Forest(known.units.length);
  for (const { a, b } of known.pairs) connected.join(a, b);
  const torn = new Set<number>();
  const isSearched = new Uint8Array(units.length).fill(1);
  for (const [at, unit] of known.units.entries()) if (!numbers.has(unit)) torn.add(connected.root(at));
  for (const [at, unit] of known.units.entries()) {
    const now = numbers.get(unit);
    if (now !== undefined && !torn.has(connected.root(at))) isSearched[now] = 0;
  }
  const pairs = known.pairs.flatMap((pair): NearUnits[] => {
    const a = numbers.get(known.units[pair.a] ?? '');
    const b = numbers.get(known.units[pair.b] ?? '');
    return a === undefined || b === undefined ? [] : [{ a, b, distance: pair.distance }];
  });
  return { pairs, missing: [...units.keys()].filter((at) => isSearched[at] === 1) };
}

const FORMAT = 1;
const NOTHING: Known = { units: [], pairs: [] };

/** First a line with distance and format, then a line per unit: itself, and numbers of others with their distances. */
async function readKnown({ file, distance }: NearOptions): Promise<Known> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    const [head, ...lines] = text.trimEnd().split('\n');
    const made = JSON.parse(head ?? '') as { readonly format?: number; readonly distance?: number };
    if (made.format !== FORMAT || made.distance !== distance) return NOTHING;
    const rows = lines.map((line) => JSON.parse(line) as [string, ...number[]]);
    const pairs: NearUnits[] = [];
    for (const [a, [, ...numbers]] of rows.entries()) {
      for (let at = 0; at + 1 < numbers.length; at += 2)
        pairs.push({ a, b: numbers[at] as number, distance: numbers[at + 1] as number });
    }
    return { units: rows.map(([unit]) => unit), pairs };
  } catch {
    // Missing or damaged: everything is compared again.
    return NOTHING;
  }
}

function* knownLines(
  units: readonly string[],
  pairs: readonly NearUnits[],
  distance: number,
): Generator<string> {
  yield `${JSON.stringify({ format: FORMAT, distance })}\n`;
  const others = new Map<number, number[]>();
  for (const { a, b, distance: bits } of pairs) {
    const known = others.get(a);
    if (known === undefined) others.set(a, [b, bits]);
    else known.push(b, bits);
  }
  for (const [at, unit] of units.entries()) yield `${JSON.stringify([unit, ...(others.get(at) ?? [])])}\n`;
}

const INDEX = 'units';
const BATCH_ASSETS = 1000;
const CONCURRENT_SEARCHES = 64;
const MATCHES_MAX = 10_000;

/** Compares the wanted units with the first `indexed` ones. */
async function search(
  units: readonly string[],
  wanted: readonly number[],
  { distance, folder }: NearOptions,
  add: (pair: NearUnits) => void,
  indexed = units.length,
): Promise<void> {
  const others = units.slice(0, indexed);
  const location = path.resolve(folder, 'index');
  await rm(location, { recursive: true, force: true });
  // The folder is in a place that all users can read.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const engine = await native.openSearchEngine(`usearch://${location}`, {
    matchThresholdUnits: 1 - distance / UNIT_BITS,
    sync: false,
  });
  try {
    const ids = await fill(engine, others);
    const digests = new Digests(units);
    const slots = new Slots(CONCURRENT_SEARCHES);
    const compare = async (a: number) => {
      const matches = await engine.searchUnits(INDEX, [units[a] ?? ''], MATCHES_MAX);
      // The best matches only: the rest is compared here.
      const isAll = matches.length < MATCHES_MAX;
      const candidates = isAll ? matches.map(({ isccId }) => ids.get(isccId) ?? a) : others.keys();
      for (const b of candidates) {
        const bits = a === b ? UNIT_BITS : digests.distance(a, b);
        if (bits <= distance) add({ a, b, distance: bits });
      }
    };
    await Promise.all(wanted.map((unit) => slots.run(() => compare(unit))));
  } finally {
    await engine.close();
    await rm(location, { recursive: true, force: true });
  }
}

/** One asset per unit. Returns the numbers of units by ISCC-ID. */
async function fill(engine: SearchEngine, units: readonly string[]): Promise<Map<string, number>> {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  await engine.createIndex(json({ name: INDEX }));
  const ids = new Map(units.map((_, at) => [native.isccId(0, at + 1, 0), at]));
  const entries = [...ids].map(([isccId, at]) => ({ iscc_id: isccId, iscc_code: units[at] }));
  for (let at = 0; at < entries.length; at += BATCH_ASSETS)
    await engine.addAssets(INDEX, json(entries.slice(at, at + BATCH_ASSETS)));
  return ids;
}

/** 32-bit words of a unit of 256 bits. */
const WORDS = UNIT_BITS / 32;

/** The bits of units, which compare if their types are equal. */
class Digests {
  readonly #words: Uint32Array;
  readonly #types: Uint16Array;
  /** Number of words: imported units may be short. */
  readonly #lengths: Uint8Array;

  constructor(units: readonly string[]) {
    this.#words = new Uint32Array(WORDS * units.length);
    this.#types = new Uint16Array(units.length);
    this.#lengths = new Uint8Array(units.length);
    for (const [at, unit] of units.entries()) {
      const { main, sub, version, bits, body } = decodeCode(unit);
      this.#types[at] = main * 256 + sub * 16 + version;
      this.#lengths[at] = bits / 32;
      const view = new DataView(body.buffer, body.byteOffset);
      for (let word = 0; word < bits / 32; word += 1)
        this.#words[WORDS * at + word] = view.getUint32(4 * word);
    }
  }

  /** Number of differing bits of 256, also for shorter units; all of them for units of different types. */
  distance(a: number, b: number): number {
    if (this.#types[a] !== this.#types[b]) return UNIT_BITS;
    const words = Math.min(this.#lengths[a] ?? 0, this.#lengths[b] ?? 0);
    let distance = 0;
    for (let at = 0; at < words; at += 1)
      distance += bitsOf((this.#words[WORDS * a + at] ?? 0) ^ (this.#words[WORDS * b + at] ?? 0));
    return (distance * WORDS) / words;
  }
}

/** Number of ones: the sums of pairs, of nibbles, and of bytes (Warren, Hacker's Delight, 5-1). */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
