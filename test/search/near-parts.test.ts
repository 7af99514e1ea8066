/** Parts of near units in OpenSearch: however the different bits are spread, a query asks for a part that the other unit has. */
import { expect, test } from 'vitest';
import { nearUnit, PATH, vectorsOf } from '../../src/services/search/opensearch/near.js';

const TYPE = 'DATA_NONE_V0';
const STEP = 32;
const PART_BITS = 16;
const BODY = Buffer.from('5a0ff0c3'.repeat(8), 'hex');

/** The parts that a query with {@link BODY} asks for, if others may differ in these shares of their bits. */
function asked(share: number): string[] {
  const bits = Array.from({ length: 256 / STEP }, (_, at) => STEP * (at + 1));
  const distances = bits.map((length) => Math.floor(share * length));
  const query = nearUnit({ unit: TYPE, body: BODY.toString('hex'), isExact: false, bits, distances }, 1000);
  const [{ nested }] = query as [
    { nested: { query: { bool: { filter: { terms: Record<string, string[]> } } } } },
  ];
  return nested.query.bool.filter.terms[`${PATH}.parts`] as string[];
}

/** The parts of the unit that differs in these bits. */
function stored(length: number, flips: readonly number[]): string[] {
  const body = Buffer.from(BODY.subarray(0, length / 8));
  for (const bit of flips) body[bit >> 3] = (body[bit >> 3] as number) ^ (1 << (bit & 7));
  return (vectorsOf([`${TYPE}:${body.toString('hex')}`], [])[0] as { parts: string[] }).parts;
}

/** Bits to flip: in each part, from a first one on, as many as asked for while there are some left. */
function spread(length: number, count: number, first: number, each: readonly [number, number]): number[] {
  const parts = length / PART_BITS;
  const flips: number[] = [];
  for (let at = 0; flips.length < count && at < 3 * parts; at += 1) {
    const part = (first + at) % parts;
    const turn = Math.floor(at / parts);
    for (let one = 0; one < each[at % 2 === 0 ? 0 : 1] && flips.length < count; one += 1)
      flips.push(part * PART_BITS + ((3 * (one + 4 * turn)) % PART_BITS));
  }
  return flips;
}

test.each([0.02, 0.06, 0.08, 0.1, 0.12])('differences in %d of the bits', (share) => {
  const wanted = new Set(asked(share));
  for (let length = STEP; length <= 256; length += STEP)
    for (let first = 0; first < length / PART_BITS; first += 1)
      for (const each of [
        [1, 1],
        [2, 2],
        [2, 1],
        [1, 2],
        [3, 0],
      ] as const) {
        const flips = spread(length, Math.floor(share * length), first, each);
        const parts = stored(length, flips);
        expect(
          parts.some((part) => wanted.has(part)),
          `${length} bits from part ${first}: ${flips}`,
        ).toBe(true);
      }
});

test('parts that no match needs are not asked for', () => {
  expect([0.02, 0.06, 0.08, 0.12].map((share) => asked(share).length)).toEqual([
    // Fewer bits than parts: only equal ones.
    16,
    16,
    16 + 5 * 16,
    16 + 15 * 16,
  ]);
});
