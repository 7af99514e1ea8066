/**
 * How near units and simprints are found. Each of an asset is a nested document with vectors and parts, one for each 16 bits
 * (multi-index hashing). Two units that differ in fewer bits than they have parts share one of them; in so many bits more, one
 * of as many parts differs in at most one bit, or another is shared. So up to twice the number of parts no near unit is missed,
 * whatever the number of assets. At larger distances, vectors find most of them. In both cases the node computes the distance
 * before it returns a candidate.
 *
 * Units are compared over the length of the shorter one.
 */
import type { ForeignUnit } from '../../../native.js';

/** The member of an asset's document with its units and simprints. */
export const PATH = 'bodies';
/** Types of units that are compared by similarity. */
export const UNIT_TYPES: readonly string[] = [
  'META_NONE_V0',
  'DATA_NONE_V0',
  'FLAKE_NONE_V0',
  ...['SEMANTIC', 'CONTENT'].flatMap((main) =>
    ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MIXED'].map((mode) => `${main}_${mode}_V0`),
  ),
];
/** Vectors of units by the length of the units, the longest that fits, and the prefix of all that are longer than 64 bits. */
const OWN = [256, 128, 64, 32] as const;
const PREFIX_BITS = 64;
const PREFIX = `p${PREFIX_BITS}`;
/** The fields of vectors and their lengths in bits. */
export const LENGTHS: readonly (readonly [string, number])[] = [
  ...OWN.map((bits) => [`o${bits}`, bits] as const),
  [PREFIX, PREFIX_BITS],
];

const PART_BITS = 16;
const DIGITS = PART_BITS / 4;
/** Units have a multiple of so many bits. */
const STEP_BITS = 32;
const INSTANCE = 'INSTANCE_';
/** Scores are 1 / (1 + distance), in few digits. */
const ROUNDING = 1e-6;

/** The nested documents of terms, which are a type, a colon, and a body in hexadecimal digits. */
export function vectorsOf(units: readonly string[], simprints: readonly string[]): object[] {
  const compared = units.filter((term) => !term.startsWith(INSTANCE)).map(splitTerm);
  return [
    ...compared.map(([type, body]) => {
      const bits = classOf(body.length * 4);
      const fields = [`o${bits}`, ...(bits > PREFIX_BITS ? [PREFIX] : [])];
      return {
        parts: [...fields.map((field) => `${type}.${field}`), ...partTerms(type, body, 0)],
        [type]: Object.fromEntries(fields.map((field) => [field, vector(body, Number(field.slice(1)))])),
      };
    }),
    ...simprints.map(splitTerm).map(([kind, body]) => ({ [`s${kind}`]: vector(body, body.length * 4) })),
  ];
}

/** Whether units within the distances of a query always have near parts. */
export function isComplete({ isExact, bits, distances }: ForeignUnit): boolean {
  return isExact || bits.every((length, at) => (distances[at] as number) < (2 * length) / PART_BITS);
}

/** Finds the assets with a unit near one, by its parts if these find all, else among the `size` nearest. Empty: no asset has. */
export function nearUnit(unit: ForeignUnit, size: number): object[] {
  const { unit: type, body, bits, distances } = unit;
  const own = bits.at(-1);
  // A query may have codes that no asset has, such as an ISCC-ID.
  if (own === undefined || !UNIT_TYPES.includes(type)) return [];
  const distanceTo = (length: number) => distances[bits.indexOf(length)] as number;
  const vectors = OWN.filter((length) => length <= own).map((length, at, all) => ({
    field: `${type}.o${length}`,
    bits: length,
    // All units with this vector are shorter than those with the next one.
    distance: distanceTo(at === 0 ? own : (all[at - 1] as number) - STEP_BITS),
  }));
  if (own >= PREFIX_BITS && own < OWN[0])
    vectors.push({ field: `${type}.${PREFIX}`, bits: PREFIX_BITS, distance: distanceTo(own) });
  if (!isComplete(unit))
    return [nested(vectors.map(({ field, bits, distance }) => nearest(field, body, bits, distance, size)))];
  // If these differ in two bits each, and the others in one, the distance is too large.
  const neighbours = Math.max(
    ...bits.map((length, at) => (distances[at] as number) + 1 - Math.floor(length / PART_BITS)),
  );
  const parts = { terms: { [`${PATH}.parts`]: partTerms(type, body, neighbours) } };
  const near = vectors.map(({ field, bits, distance }) =>
    within({ term: { [`${PATH}.parts`]: field } }, field, body, bits, distance),
  );
  // Longer units have no vector of this length.
  if (own < PREFIX_BITS) near.push({ constant_score: { filter: parts, boost: ROUNDING } });
  return [nested(near, parts)];
}

/** Finds the assets with a simprint near one, among the `size` nearest. */
export function nearSimprint(kind: number, body: string, distance: number, size: number): object {
  return nested([nearest(`s${kind}`, body, body.length * 4, distance, size)]);
}

/** Ranks at 1 for what is near, and at most 1 for how near it is. */
function nested(near: readonly object[], filter?: object): object {
  const must = [{ match_all: {} }, { dis_max: { queries: near } }];
  const query = { bool: { must, ...(filter !== undefined && { filter }) } };
  return { nested: { path: PATH, score_mode: 'max', query } };
}

function nearest(field: string, body: string, bits: number, distance: number, size: number): object {
  const knn = { [`${PATH}.${field}`]: { vector: vector(body, bits), k: size } };
  return within({ knn }, field, body, bits, distance);
}

/** Those that a query finds with a vector within a distance. */
function within(query: object, field: string, body: string, bits: number, distance: number): object {
  const params = { field: `${PATH}.${field}`, query_value: vector(body, bits), space_type: 'hamming' };
  const script = { lang: 'knn', source: 'knn_score', params };
  return { script_score: { query, script, min_score: 1 / (1 + distance) - ROUNDING } };
}

/** The parts of a body, the first of them with the neighbours that differ in one bit. */
function partTerms(type: string, body: string, neighbours: number): string[] {
  return Array.from({ length: body.length / DIGITS }, (_, at) => {
    const value = Number.parseInt(body.slice(at * DIGITS, (at + 1) * DIGITS), 16);
    const flips = at < neighbours ? Array.from({ length: PART_BITS }, (_, bit) => 1 << bit) : [];
    return [0, ...flips].map((flip) => `${type}:${at}:${(value ^ flip).toString(16).padStart(DIGITS, '0')}`);
  }).flat();
}

function classOf(bits: number): number {
  return OWN.find((length) => length <= bits) as number;
}

function splitTerm(term: string): [string, string] {
  const colon = term.lastIndexOf(':');
  return [term.slice(0, colon), term.slice(colon + 1)];
}

/** The first bits of a body, as OpenSearch takes them. */
function vector(body: string, bits: number): number[] {
  return [...new Int8Array(Buffer.from(body.slice(0, bits / 4), 'hex'))];
}
