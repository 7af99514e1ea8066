/**
 * Groups of files that belong together: equal bytes, similar content, or the same work. Similar units come from an exact
 * search index, so groups are those of a comparison of all pairs.
 */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { decodeCode } from '../../codec.js';
import { native, type SearchEngine } from '../../native.js';
import { Slots } from '../../slots.js';
import type { ScannedFile } from './records.js';

const META = 0;
const SEMANTIC = 1;
const CONTENT = 2;
const DATA = 3;
const UNIT_BITS = 256;

/** The closest member of its group, and the unit in which both are similar. */
export interface Link {
  readonly to: ScannedFile;
  /** Name of the unit's type: `CONTENT_IMAGE_V0`. */
  readonly unit: string;
  /** Number of differing bits of 256. */
  readonly distance: number;
}

export interface Member {
  readonly file: ScannedFile;
  /** Absent for equal bytes. */
  readonly link?: Link;
}

export interface Group {
  readonly kind: 'duplicates' | 'near-duplicates' | 'versions';
  readonly members: readonly Member[];
}

/**
 * All groups of at least two files.
 *
 * - duplicates: equal bytes
 * - near-duplicates: Semantic-, Content- or Data-Codes differ in at most `distance` of 256 bits; of duplicates, the first
 * - versions: embedded titles and descriptions are similar (Meta-Codes within `distance`), but the content is not
 *
 * @param folder for the index, which is made again and removed
 */
export async function groupsOf(
  files: readonly ScannedFile[],
  distance: number,
  folder: string,
): Promise<Group[]> {
  const byHash = groupBy(files, ({ datahash }) => datahash);
  const duplicates = [...byHash.values()].filter((same) => same.length > 1);
  const distinct = [...byHash.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
  const links = await similarFiles(distinct, distance, folder);
  const near = new Clusters(distinct);
  for (const link of links) if (link.main !== META) near.join(link);
  const works = new Clusters(distinct);
  for (const group of near.groups()) for (const file of group) works.connect(file, group[0] ?? file);
  for (const link of links) {
    const isTitled = link.a.title !== undefined && link.b.title !== undefined;
    if (link.main === META && isTitled && !near.connected(link.a, link.b)) works.join(link);
  }
  const versions = works
    .groups()
    .filter((group) => group.some((file) => !near.connected(file, group[0] ?? file)));
  return [
    ...duplicates.map((same): Group => ({ kind: 'duplicates', members: same.map((file) => ({ file })) })),
    ...near.groups().map((group): Group => ({ kind: 'near-duplicates', members: near.members(group) })),
    ...versions.map((group): Group => ({ kind: 'versions', members: works.members(group, near) })),
  ];
}

/** Two files with similar units. */
interface Similar {
  readonly a: ScannedFile;
  readonly b: ScannedFile;
  /** MainType of the unit. */
  readonly main: number;
  readonly unit: string;
  readonly distance: number;
}

/** A union-find structure that remembers the closest link of every file. */
class Clusters {
  readonly #files: readonly ScannedFile[];
  readonly #parents = new Map<ScannedFile, ScannedFile>();
  readonly #links = new Map<ScannedFile, Link>();

  constructor(files: readonly ScannedFile[]) {
    this.#files = files;
  }

  connect(a: ScannedFile, b: ScannedFile): void {
    this.#parents.set(this.#root(a), this.#root(b));
  }

  join({ a, b, unit, distance }: Similar): void {
    this.connect(a, b);
    this.#closest(a, { to: b, unit, distance });
    this.#closest(b, { to: a, unit, distance });
  }

  connected(a: ScannedFile, b: ScannedFile): boolean {
    return this.#root(a) === this.#root(b);
  }

  /** Groups of two and more, in the order of the files. */
  groups(): ScannedFile[][] {
    return [...groupBy(this.#files, (file) => this.#root(file)).values()].filter(({ length }) => length > 1);
  }

  /** The members with their links; files without one have that of `others`. */
  members(group: readonly ScannedFile[], others?: Clusters): Member[] {
    return group.map((file) => {
      const link = this.#links.get(file) ?? others?.link(file);
      return { file, ...(link !== undefined && { link }) };
    });
  }

  link(file: ScannedFile): Link | undefined {
    return this.#links.get(file);
  }

  #closest(file: ScannedFile, link: Link): void {
    const known = this.#links.get(file);
    if (known === undefined || link.distance < known.distance) this.#links.set(file, link);
  }

  #root(file: ScannedFile): ScannedFile {
    let root = file;
    for (
      let next = this.#parents.get(root);
      next !== undefined && next !== root;
      next = this.#parents.get(root)
    )
      root = next;
    // Shortens the path for later calls.
    for (let at = file; at !== root; ) {
      const next = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = next;
    }
    return root;
  }
}

/** A unit and the files that have it. */
interface Shared {
  readonly unit: string;
  readonly main: number;
  readonly files: readonly ScannedFile[];
}

const SEARCHED = [META, SEMANTIC, CONTENT, DATA];
const BATCH_ASSETS = 1000;
const CONCURRENT_SEARCHES = 64;
const MATCHES_MAX = 10_000;

/** Files with equal units, each linked to the first, and those with similar units. */
async function similarFiles(
  files: readonly ScannedFile[],
  distance: number,
  folder: string,
): Promise<Similar[]> {
  const units = new Map<string, ScannedFile[]>();
  for (const file of files) {
    for (const unit of file.units) {
      const known = units.get(unit);
      if (known === undefined) units.set(unit, [file]);
      else known.push(file);
    }
  }
  const shared = [...units].map(
    ([unit, with_]): Shared => ({ unit, main: decodeCode(unit).main, files: with_ }),
  );
  const searched = shared.filter(({ main }) => SEARCHED.includes(main));
  const equal = searched.flatMap(({ unit, main, files: [first, ...rest] }) =>
    rest.flatMap((b): Similar[] =>
      first === undefined ? [] : [{ a: first, b, main, unit: kindOf(unit), distance: 0 }],
    ),
  );
  return [...equal, ...(await similarUnits(searched, distance, folder))];
}

async function similarUnits(units: readonly Shared[], distance: number, folder: string): Promise<Similar[]> {
  if (units.length < 2) return [];
  const location = path.resolve(folder, 'index');
  await rm(location, { recursive: true, force: true });
  // The folder is in a place that all users can read.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const engine = await native.openSearchEngine(`usearch://${location}`, {
    matchThresholdUnits: 1 - distance / UNIT_BITS,
    // Scans compare every row; a graph would miss some.
    scanLimit: 0xffff_ffff,
    sync: false,
  });
  try {
    const ids = await fill(engine, units);
    const slots = new Slots(CONCURRENT_SEARCHES);
    const found = await Promise.all(
      units.map((unit, at) => slots.run(() => matchesOf(engine, unit, units, ids, distance, at))),
    );
    return found.flat();
  } finally {
    await engine.close();
    await rm(location, { recursive: true, force: true });
  }
}

const INDEX = 'units';

/** One asset per unit. Returns the positions of units by ISCC-ID. */
async function fill(engine: SearchEngine, units: readonly Shared[]): Promise<Map<string, number>> {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  await engine.createIndex(json({ name: INDEX }));
  const ids = new Map(units.map((_, at) => [native.isccId(0, at + 1, 0), at]));
  const entries = [...ids].map(([isccId, at]) => ({ iscc_id: isccId, iscc_code: units[at]?.unit }));
  for (let at = 0; at < entries.length; at += BATCH_ASSETS)
    await engine.addAssets(INDEX, json(entries.slice(at, at + BATCH_ASSETS)));
  return ids;
}

async function matchesOf(
  engine: SearchEngine,
  { unit, main, files: [a] }: Shared,
  units: readonly Shared[],
  ids: ReadonlyMap<string, number>,
  distance: number,
  at: number,
): Promise<Similar[]> {
  const matches = await engine.searchUnits(INDEX, [unit], MATCHES_MAX);
  const positions = matches.map(({ isccId }) => ids.get(isccId) ?? at);
  // The best matches only: the rest is compared here.
  const candidates = matches.length < MATCHES_MAX ? positions : units.keys();
  const similar: Similar[] = [];
  for (const position of candidates) {
    const other = units[position];
    const [b] = other?.files ?? [];
    // Each pair once.
    if (other === undefined || position <= at || a === undefined || b === undefined) continue;
    const compared = native.compareCodes(unit, other.unit)[0];
    if (compared !== undefined && compared.distance <= distance)
      similar.push({ a, b, main, unit: compared.kind, distance: compared.distance });
  }
  return similar;
}

function kindOf(unit: string): string {
  return native.compareCodes(unit, unit)[0]?.kind ?? '';
}

function groupBy<T, K>(items: Iterable<T>, key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const of = key(item);
    const known = groups.get(of);
    if (known === undefined) groups.set(of, [item]);
    else known.push(item);
  }
  return groups;
}
