/**
 * Parts of units, by which near units are found in the inverted index (multi-index hashing): a unit has one term for each 16
 * bits, with their position. Two units that differ in fewer bits than they have parts share one of them; in fewer bits than
 * twice that, some part differs in at most one bit. So no near unit is missed, whatever the number of assets.
 *
 * Units are compared over the length of the shorter one. Terms name the length of the stored unit, because it decides how
 * many parts must be near.
 */
import type { ForeignUnit } from '../../../native.js';

const PART_BITS = 16;
const DIGITS = PART_BITS / 4;
const STEP_BITS = 32;
const BITS_MAX = 256;

/** The terms of a stored unit: a type, a colon, and a body in hexadecimal digits. */
export function partTerms(unit: string): string[] {
  const colon = unit.lastIndexOf(':');
  const body = unit.slice(colon + 1);
  const type = unit.slice(0, colon);
  const bits = body.length * 4;
  return Array.from({ length: Math.floor(bits / PART_BITS) }, (_, at) =>
    term(type, bits, at, body.slice(at * DIGITS, (at + 1) * DIGITS)),
  );
}

/** Whether units within the distances of a query always have near parts. */
export function isComplete({ isExact, bits, distances }: ForeignUnit): boolean {
  return isExact || bits.every((length, at) => wantedParts(length, distances[at] as number).count > 0);
}

/** Finds the assets with a unit near one, and ranks them by the share of its parts that are near, at most 1. */
export function nearParts({ unit, body, bits, distances }: ForeignUnit): object[] {
  const own = body.length * 4;
  return bits.map((length, at) => {
    const { count, hasNeighbours } = wantedParts(length, distances[at] as number);
    // Longer units are compared over the query's own length.
    const stored = length < own ? [length] : lengthsFrom(length);
    const parts = length / PART_BITS;
    const should = Array.from({ length: parts }, (_, part) => {
      const value = Number.parseInt(body.slice(part * DIGITS, (part + 1) * DIGITS), 16);
      const values = hasNeighbours ? [value, ...neighbours(value)] : [value];
      const terms = stored.flatMap((bits) =>
        values.map((near) => term(unit, bits, part, near.toString(16).padStart(DIGITS, '0'))),
      );
      return { constant_score: { filter: { terms: { unit_parts: terms } }, boost: 1 / parts } };
    });
    return { bool: { should, minimum_should_match: count } };
  });
}

/** How many parts of a unit within a distance are near for certain: equal, or with one different bit. */
function wantedParts(
  bits: number,
  distance: number,
): { readonly count: number; readonly hasNeighbours: boolean } {
  const parts = bits / PART_BITS;
  const hasNeighbours = distance >= parts;
  return { count: hasNeighbours ? parts - Math.floor(distance / 2) : parts - distance, hasNeighbours };
}

function neighbours(value: number): number[] {
  return Array.from({ length: PART_BITS }, (_, bit) => value ^ (1 << bit));
}

function lengthsFrom(bits: number): number[] {
  return Array.from({ length: (BITS_MAX - bits) / STEP_BITS + 1 }, (_, at) => bits + at * STEP_BITS);
}

function term(type: string, bits: number, at: number, digits: string): string {
  return `${type}/${bits}:${at}:${digits}`;
}
