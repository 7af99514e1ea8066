/** Groups of files that belong together: equal bytes, similar content, or the same work. */
import { decodeCode } from '../../iscc/codec.js';
import { native } from '../../native.js';
import { Forest } from './forest.js';
import { type NearOptions, nearUnits, similarTo } from './near-units.js';
import type { ScannedFile } from './records.js';
import { SYMMETRIES, type Symmetry, undone } from './symmetries.js';

/** Types of units that are compared, and their MainTypes. */
export const UNIT_TYPES = { meta: 0, semantic: 1, content: 2, data: 3 } as const;

export type UnitType = keyof typeof UNIT_TYPES;

/** The closest member of its group, and the unit in which both are similar. */
export interface Link {
  readonly to: ScannedFile;
  /** Name of the unit's type: `CONTENT_IMAGE_V0`. */
  readonly unit: string;
  /** Number of differing bits of 256. */
  readonly distance: number;
  /** How the file's picture looks to that of the other one; absent if alike. */
  readonly symmetry?: Symmetry | undefined;
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

export interface GroupOptions extends NearOptions {
  /** Default: all, Data-Codes only of files without Content-Code. */
  readonly units?: ReadonlySet<UnitType> | undefined;
  /** Whether mirrored and turned pictures are near-duplicates. Default: false. */
  readonly symmetries?: boolean | undefined;
}

/**
 * All groups of at least two files.
 *
 * - duplicates: equal bytes
 * - near-duplicates: Semantic-, Content- or Data-Codes differ in at most `distance` of 256 bits; of duplicates, the first
 * - versions: embedded titles and descriptions are similar (Meta-Codes within `distance`), but the content is not
 */
export async function groupsOf(files: readonly ScannedFile[], options: GroupOptions): Promise<Group[]> {
  const byHash = groupBy(files, ({ datahash }) => datahash);
  const duplicates = [...byHash.values()].filter((same) => same.length > 1);
  const distinct = [...byHash.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
  const pairs = await similarFiles(distinct, options);
  const near = new Clusters(distinct);
  for (const pair of pairs) if (pair.main !== UNIT_TYPES.meta) near.join(pair);
  const works = new Clusters(distinct);
  for (const [first = 0, ...rest] of near.forest.sets())
    for (const file of rest) works.forest.join(first, file);
  for (const pair of pairs) {
    if (pair.main === UNIT_TYPES.meta && !near.forest.isJoined(pair.a, pair.b)) works.join(pair);
  }
  const versions = works.forest
    .sets()
    .filter(([first = 0, ...rest]) => rest.some((file) => !near.forest.isJoined(file, first)));
  return [
    ...duplicates.map((same): Group => ({ kind: 'duplicates', members: same.map((file) => ({ file })) })),
    ...near.forest.sets().map((group): Group => ({ kind: 'near-duplicates', members: near.members(group) })),
    ...versions.map((group): Group => ({ kind: 'versions', members: works.members(group, near) })),
  ];
}

/** Two files with similar units, by their numbers. */
interface Similar {
  readonly a: number;
  readonly b: number;
  /** MainType of the unit. */
  readonly main: number;
  readonly unit: string;
  readonly distance: number;
  /** What `b` looks like, compared with `a`. */
  readonly symmetry?: Symmetry;
}

/** Files that are connected, with the closest link of each. */
class Clusters {
  readonly forest: Forest;
  readonly #files: readonly ScannedFile[];
  readonly #links = new Map<number, Link>();

  constructor(files: readonly ScannedFile[]) {
    this.#files = files;
    this.forest = new Forest(files.length);
  }

  join({ a, b, symmetry, ...how }: Similar): void {
    this.forest.join(a, b);
    this.#closest(a, b, { ...how, symmetry: symmetry && undone(symmetry) });
    this.#closest(b, a, { ...how, symmetry });
  }

  /** The members with their links; files without one have that of `others`. */
  members(group: readonly number[], others?: Clusters): Member[] {
    return group.flatMap((at) => {
      const file = this.#files[at];
      const link = this.#links.get(at) ?? others?.link(at);
      return file === undefined ? [] : [{ file, ...(link !== undefined && { link }) }];
    });
  }

  link(file: number): Link | undefined {
    return this.#links.get(file);
  }

  #closest(file: number, other: number, { unit, distance, symmetry }: Omit<Link, 'to'>): void {
    const known = this.#links.get(file);
    const to = this.#files[other];
    if (to !== undefined && (known === undefined || distance < known.distance))
      this.#links.set(file, { to, unit, distance, ...(symmetry && { symmetry }) });
  }
}

/** A unit, and the numbers of the files that have it. */
interface Shared {
  readonly unit: string;
  readonly main: number;
  readonly kind: string;
  readonly files: readonly number[];
}

/** Files with equal units, each linked to the first, and those with similar units. */
async function similarFiles(files: readonly ScannedFile[], options: GroupOptions): Promise<Similar[]> {
  const owners = new Map<string, number[]>();
  for (const [at, file] of files.entries()) {
    for (const unit of comparedUnits(file, options.units)) {
      const known = owners.get(unit);
      if (known === undefined) owners.set(unit, [at]);
      else known.push(at);
    }
  }
  const shared = [...owners].map(([unit, with_]): Shared => ({ unit, ...headOf(unit), files: with_ }));
  const equal = shared.flatMap(({ main, kind, files: [a = 0, ...rest] }) =>
    rest.map((b): Similar => ({ a, b, main, unit: kind, distance: 0 })),
  );
  const near = await nearUnits(
    shared.map(({ unit }) => unit),
    options,
  );
  const similar = near.flatMap(({ a, b, distance }): Similar[] => {
    const [one, other] = [shared[a], shared[b]];
    const [first, second] = [one?.files[0], other?.files[0]];
    if (one === undefined || first === undefined || second === undefined) return [];
    return [{ a: first, b: second, main: one.main, unit: one.kind, distance }];
  });
  const turned = options.symmetries ? await turnedPictures(files, shared, options) : [];
  return [...equal, ...similar, ...turned];
}

/** Pictures that are like others after they are mirrored or turned. */
async function turnedPictures(
  files: readonly ScannedFile[],
  shared: readonly Shared[],
  options: GroupOptions,
): Promise<Similar[]> {
  const pictures = shared.filter(({ kind }) => kind.startsWith('CONTENT_IMAGE_'));
  const queries = pictures.flatMap(({ files: [file = 0] }) =>
    (files[file]?.symmetries ?? []).map((unit, at) => ({ unit, file, symmetry: SYMMETRIES[at] })),
  );
  const found = await similarTo(
    queries.map(({ unit }) => unit),
    pictures.map(({ unit }) => unit),
    options,
  );
  return found.flatMap(({ a, b, distance }): Similar[] => {
    const [query, picture] = [queries[a], pictures[b]];
    const [file] = picture?.files ?? [];
    if (query?.symmetry === undefined || file === undefined || query.file === file) return [];
    const { main = 0, kind = '' } = picture ?? {};
    return [{ a: query.file, b: file, main, unit: kind, distance, symmetry: query.symmetry }];
  });
}

/** Different documents from one template have similar bytes, so the Data-Code counts only if nothing else can. */
function comparedUnits(file: ScannedFile, chosen: ReadonlySet<UnitType> | undefined): string[] {
  const mains = file.units.map((unit) => ({ unit, main: headOf(unit).main }));
  const hasContent = mains.some(({ main }) => main === UNIT_TYPES.content);
  const isCompared: Record<UnitType, boolean> = {
    // A title that is made from the file name says nothing.
    meta: file.title !== undefined && (chosen?.has('meta') ?? true),
    semantic: chosen?.has('semantic') ?? true,
    content: chosen?.has('content') ?? true,
    data: chosen?.has('data') ?? !hasContent,
  };
  const compared = (Object.keys(UNIT_TYPES) as UnitType[])
    .filter((type) => isCompared[type])
    .map((type): number => UNIT_TYPES[type]);
  return mains.filter(({ main }) => compared.includes(main)).map(({ unit }) => unit);
}

interface Head {
  readonly main: number;
  /** Name of the unit's type. */
  readonly kind: string;
}

const CANONICAL = 'ISCC:';
/** Of a canonical unit, these characters have all of the header but the length. */
const HEAD_CHARACTERS = CANONICAL.length + 3;
const heads = new Map<string, Head>();

/** The header of a unit. Units of files have few different ones, which are decoded once. */
export function headOf(unit: string): Head {
  const key = unit.startsWith(CANONICAL) ? unit.slice(0, HEAD_CHARACTERS) : undefined;
  const known = key === undefined ? undefined : heads.get(key);
  if (known !== undefined) return known;
  const { main } = decodeCode(unit);
  const head = { main, kind: native.compareCodes(unit, unit)[0]?.kind ?? '' };
  if (key !== undefined) heads.set(key, head);
  return head;
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
