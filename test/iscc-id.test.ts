/** The form and order of ISCC-IDs, compared with the codec. */
import { base32nopad } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { canonicalIsccId, compareIsccIds, isIsccId } from '../src/iscc/iscc-id.js';
import { native } from '../src/native.js';

const US_MAX = 2 ** 52 - 1;
/** Timestamps in ascending order. */
const TIMES_US = [0, 1, 31, 32, 2 ** 20, 1_714_503_123_456_789, 1_714_503_123_456_790, US_MAX];

describe('ISCC-IDs', () => {
  it.each([0, 1])('of realm %i have the form that the codec writes', (realm) => {
    for (const timestampUs of TIMES_US) {
      for (const hub of [0, 1, 2543, 4095]) {
        const id = native.isccId(realm, timestampUs, hub);
        expect(isIsccId(id), id).toBe(true);
      }
    }
  });

  it.each([0, 1])('of realm %i may have other lengths in the header, as hubs write them', (realm) => {
    for (const timestampUs of TIMES_US) {
      for (const hub of [0, 1, 2543, 4095]) {
        const id = native.isccId(realm, timestampUs, hub);
        const bytes = base32nopad.decode(id.slice('ISCC:'.length));
        for (let length = 0; length < 16; length += 1) {
          bytes[1] = 0x10 | length;
          const written = `ISCC:${base32nopad.encode(bytes)}`;
          expect([isIsccId(written), canonicalIsccId(written)], written).toEqual([true, id]);
        }
      }
    }
  });

  it('with other lengths in the header are no codes', () => {
    expect(() => native.explain('ISCC:MAIWHOLVBCF5CHFC')).toThrow('invalid length field 1 for MainType ID');
    expect(native.explain(canonicalIsccId('ISCC:MAIWHOLVBCF5CHFC')).iscc).toBe('ISCC:MAIGHOLVBCF5CHFC');
  });

  it.each([0, 2, 3, 4])('do not have MainType %i', (main) => {
    expect(isIsccId(native.encodeUnit(main, 0, 0, 64, Buffer.alloc(32, 7)))).toBe(false);
  });

  it('sort by time within a realm', () => {
    const ids = TIMES_US.map((timestampUs) => native.isccId(1, timestampUs, 7));
    expect([...ids].reverse().sort(compareIsccIds)).toEqual(ids);
    expect(ids.map((id) => compareIsccIds(id, id))).toEqual(ids.map(() => 0));
  });

  it('sort letters before digits', () => {
    expect(compareIsccIds('ISCC:MA2A', 'ISCC:MAZA')).toBeGreaterThan(0);
  });
});
