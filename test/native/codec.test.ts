/** The codec through the addon: result shapes, errors and limits. The codes themselves are tested in Rust. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { composeCode, decodeCode, decomposeCode, encodeUnit } from '../../src/iscc/codec.js';
import { native } from '../../src/native.js';

interface ExplainCase {
  readonly input: string;
  readonly status: number;
  readonly body: { readonly iscc: string } | null;
}

interface CodecVectors {
  readonly explain: readonly ExplainCase[];
  readonly decompose: readonly { readonly input: string; readonly units: readonly string[] }[];
  readonly composites: readonly {
    readonly units: string[];
    readonly wide: boolean;
    readonly iscc?: string;
  }[];
  readonly iscc_id_v1: readonly {
    readonly timestamp: number;
    readonly hub_id: number;
    readonly realm: number;
    readonly iscc: string;
  }[];
  readonly seq: readonly { readonly units: string[]; readonly base64: string }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../fixtures/codes/codec.json', import.meta.url), 'utf8'),
) as CodecVectors;

const SUM = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';
const DATA = 'ISCC:GAARLDA46RGP3AQI';

/** Codes whose explanation repeats them unchanged. Excludes composites that the reference truncates. */
const canonical = vectors.explain.filter(({ input, status, body }) => status === 200 && body?.iscc === input);

describe('explain', () => {
  it('returns the results of the reference, as an object and as JSON', () => {
    expect(canonical.length).toBeGreaterThan(100);
    for (const { input, body } of canonical) {
      expect(native.explain(input)).toEqual(body);
      expect(JSON.parse(native.explainJson(input))).toEqual(body);
    }
  });

  it('throws the reason', () => {
    expect(() => native.explain('isbn:KUABLDA4')).toThrow('invalid scheme: isbn');
    expect(() => native.explainJson('GAARLDA4')).toThrow(/header says 8 bytes of body/);
    for (const { input, status } of vectors.explain) {
      if (status === 400) expect(() => native.explain(input), input).toThrow();
    }
  });

  it('formats ISCC-IDs like the selected release', () => {
    const id = 'ISCC:MAIGC5KN3I6TCWPP';
    expect(native.explain(id, '0.9.5').readable).toBe('ID-REALM_0-V1-64-1714503123456789-2543');
    expect(native.explain(id).readable).toBe('ID-REALM_0-V1-64-2024-04-30T18:52:03.456789Z-HUB_2543');
    expect(() => native.explain(id, '1.0')).toThrow('compat must be 0.9.7 or 0.9.5');
  });
});

describe('codes and units', () => {
  it('decomposes and composes', () => {
    for (const { input, units } of vectors.decompose) expect(decomposeCode(input)).toEqual(units);
    for (const { units, wide, iscc } of vectors.composites) {
      if (iscc === undefined) expect(() => composeCode(units, wide)).toThrow();
      else expect(composeCode(units, wide)).toBe(iscc);
    }
  });

  it('decodes a code and encodes a unit', () => {
    const decoded = decodeCode(DATA);
    expect(decoded).toMatchObject({ main: 3, sub: 0, version: 0, bits: 64 });
    expect(encodeUnit(3, 0, 0, 64, decoded.body)).toBe(DATA);
    expect(() => encodeUnit(3, 0, 0, 96, decoded.body)).toThrow('the digest has 64 bits');
  });

  it('writes the body into an array', () => {
    const out = new Uint8Array(40);
    const packed = native.decodeCodeInto(DATA, out);
    expect([packed & 15, (packed >> 4) & 15, (packed >> 8) & 15, packed >> 12]).toEqual([3, 0, 0, 8]);
    expect(Buffer.from(out.subarray(0, 8)).toString('hex')).toBe('158c1cf44cfd8208');
    expect(() => native.decodeCodeInto(DATA, out.subarray(0, 7))).toThrow('at least 8 bytes');
  });

  it('decodes a batch and marks lines that are not codes', () => {
    const stride = 64;
    const out = new Uint8Array(3 * stride).fill(255);
    expect(native.decodeCodes(`${DATA}\nnonsense\n${SUM}`, out, stride)).toBe(3);
    expect([out[0], out[stride], out[2 * stride]]).toEqual([10, 0, 18]);
    expect(Buffer.from(out.subarray(1, 11)).toString('hex')).toBe('3001158c1cf44cfd8208');
    expect(() => native.decodeCodes(`${DATA}\n`.repeat(4), out, stride)).toThrow('at least 256 bytes');
    expect(() => native.decodeCodes(DATA, out, 42)).toThrow('stride must be at least 43');
  });

  it('compares codes unit by unit', () => {
    expect(native.compareCodes(SUM, SUM)).toEqual([
      { kind: 'DATA_NONE_V0', bits: 64, distance: 0, similarity: 1 },
      { kind: 'INSTANCE_NONE_V0', bits: 64, distance: 0, similarity: 1 },
    ]);
    expect(native.compareCodes(SUM, 'AAAQRLWHM2YFGCWG')).toEqual([]);
    expect(() => native.compareCodes(SUM, '?')).toThrow(/^second code: /);
  });
});

describe('identifiers', () => {
  it('encodes ISCC-IDs', () => {
    for (const { timestamp, hub_id: hub, realm, iscc } of vectors.iscc_id_v1) {
      expect(native.isccId(realm, timestamp, hub)).toBe(iscc);
    }
    expect(() => native.isccId(2, 0, 0)).toThrow('realm must be below 2');
    expect(() => native.isccId(0, 2 ** 52, 0)).toThrow('timestamp must be below');
    expect(() => native.isccId(0, 0.5, 0)).toThrow('timestampUs must be an integer');
  });
});

describe('ISCC-SEQ', () => {
  it('encodes and decodes', () => {
    for (const { units, base64 } of vectors.seq) {
      expect(native.encodeSeq(units).toString('base64')).toBe(base64);
      const decoded = native.decodeIsccSeq(Buffer.from(base64, 'base64'));
      expect(decoded.map(({ iscc }) => iscc)).toEqual(units);
    }
  });

  it('accepts only 256-bit units for C2PA', () => {
    expect(() => native.encodeSeq([DATA], true)).toThrow('version 0 with 256 bits');
    expect(() => native.decodeIsccSeq(new Uint8Array())).toThrow('at least one unit');
  });
});
