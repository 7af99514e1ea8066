import { describe, expect, it } from 'vitest';
import { decodeLenientBase64 } from '../../src/c2pa/base64.js';
import {
  BindingQueryInvalid,
  getParameters,
  maxResults,
  parseQueryBody,
  queryUnits,
} from '../../src/c2pa/binding-query.js';
import { decodeSeq, SeqInvalid, searchableUnits } from '../../src/c2pa/iscc-seq.js';
import { vectors } from './vectors.js';

interface SeqVectors {
  readonly valid: readonly {
    readonly name: string;
    readonly hex: string;
    readonly units: readonly { unit: string; bodyHex: string }[];
    readonly searchable: readonly string[];
  }[];
  readonly invalid: readonly { readonly name: string; readonly hex: string }[];
}

describe('lenient base64', () => {
  const { cases } = vectors<{ cases: { name: string; value: string; bytesHex: string | null }[] }>(
    'base64-query',
  );

  it.each(cases)('$name', ({ value, bytesHex }) => {
    expect(decodeLenientBase64(value)?.toString('hex') ?? null).toBe(bytesHex);
  });
});

describe('ISCC-SEQ', () => {
  const { valid, invalid } = vectors<SeqVectors>('iscc-seq');

  it.each(valid)('$name is read', ({ hex, units, searchable }) => {
    const read = decodeSeq(Buffer.from(hex, 'hex'));
    expect(read.map(({ unit }) => unit)).toEqual(units.map(({ unit }) => unit));
    read.forEach(({ bytes }, at) => {
      expect(
        Buffer.from(bytes)
          .toString('hex')
          .endsWith(units[at]?.bodyHex ?? '?'),
      ).toBe(true);
    });
    expect(searchableUnits(read).map(({ unit }) => unit)).toEqual(searchable);
  });

  it.each(invalid)('$name is refused', ({ hex }) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(() => decodeSeq(bytes)).toThrow(SeqInvalid);
    expect(() => queryUnits(bytes)).toThrow(/^Value is not a valid ISCC-SEQ: ./);
  });

  const unit = (at: number) => Buffer.concat([Buffer.from([0x30, 7]), Buffer.alloc(32, at)]);

  it('may have 32 searchable units, each counted once', () => {
    const units = Array.from({ length: 32 }, (_, at) => unit(at));
    expect(queryUnits(Buffer.concat([...units, ...units]))).toHaveLength(32);
    expect(() => queryUnits(Buffer.concat([...units, unit(32)]))).toThrow(
      new BindingQueryInvalid('Value holds more than 32 searchable ISCC-UNITs'),
    );
  });

  it('needs a searchable unit', () => {
    const meta = Buffer.concat([Buffer.from([0, 7]), Buffer.alloc(32)]);
    expect(() => queryUnits(meta)).toThrow(new BindingQueryInvalid('Value holds no searchable ISCC-UNIT'));
  });

  it('says what is known about a unit', () => {
    const image = Buffer.concat([Buffer.from([0x21, 7]), Buffer.alloc(32, 5)]);
    expect(queryUnits(image)).toMatchObject([{ mainType: 2, subType: 1, body: new Uint8Array(32).fill(5) }]);
  });
});

describe('maxResults', () => {
  it.each([
    ['1', 1],
    ['10', 10],
    ['010', 10],
    ['100', 100],
    ['101', 100],
    ['9'.repeat(400), 100],
  ])('%s is %i', (text, value) => {
    expect(maxResults.parse(text)).toBe(value);
  });

  it.each(['', '0', '00', '-1', '1.0', '1e1', ' 1', '+1', 'ten', '١'])('%j is refused', (text) => {
    const { error } = maxResults.safeParse(text);
    expect(error?.issues[0]?.message).toBe('maxResults must be a positive integer');
  });
});

describe('parameters of GET', () => {
  it.each([
    [{}, 'Missing parameter: alg'],
    [{ alg: 'io.iscc.v0' }, 'Missing parameter: value'],
    [{ alg: '', value: 'AA' }, 'Missing parameter: alg'],
    [{ alg: 'a', value: '' }, 'Missing parameter: value'],
    [{ alg: 'a', value: ['AA', 'AA'] }, 'Parameter given more than once: value'],
  ])('%j: %s', (query, message) => {
    expect(getParameters.safeParse(query).error?.issues[0]?.message).toBe(message);
  });
});

describe('the body of POST', () => {
  const parse = (text: string) => parseQueryBody(Buffer.from(text, 'latin1'));

  it('may hold more', () => {
    expect(parse('{"alg":"a","value":"AA","more":1}')).toEqual({ alg: 'a', value: 'AA' });
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '"a"',
    '{"alg":"a"}',
    '{"alg":"a","value":1}',
    '{"alg":"\xff","value":""}',
  ])('%j is refused', (text) => {
    expect(() => parse(text)).toThrow(new BindingQueryInvalid('Invalid JSON body'));
  });
});
