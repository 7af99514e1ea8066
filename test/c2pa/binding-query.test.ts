import { describe, expect, it } from 'vitest';
import {
  BindingQueryInvalid,
  decodeLenientBase64,
  getParameters,
  maxResults,
  parseQueryBody,
  queryUnits,
} from '../../src/c2pa/binding-query.js';
import { vectors } from './vectors.js';

interface SeqVectors {
  readonly valid: readonly {
    readonly name: string;
    readonly hex: string;
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

describe('units of a query', () => {
  const { valid, invalid } = vectors<SeqVectors>('iscc-seq');

  it.each(valid)('$name', ({ hex, searchable }) => {
    const bytes = Buffer.from(hex, 'hex');
    const error = (message: string) => new BindingQueryInvalid(message);
    if (searchable.length === 0)
      expect(() => queryUnits(bytes)).toThrow(error('Value holds no searchable ISCC-UNIT'));
    else if (searchable.length > 32)
      expect(() => queryUnits(bytes)).toThrow(error('Value holds more than 32 searchable ISCC-UNITs'));
    else expect(queryUnits(bytes)).toEqual(searchable);
  });

  it.each(invalid)('rejects $name', ({ hex }) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(() => queryUnits(bytes)).toThrow(BindingQueryInvalid);
    expect(() => queryUnits(bytes)).toThrow(/^Value is not a valid ISCC-SEQ: ./);
  });

  const unit = (at: number) => Buffer.concat([Buffer.from([0x30, 7]), Buffer.alloc(32, at)]);

  it('are at most 32, each counted once', () => {
    const units = Array.from({ length: 32 }, (_, at) => unit(at));
    expect(queryUnits(Buffer.concat([...units, ...units]))).toHaveLength(32);
    expect(() => queryUnits(Buffer.concat([...units, unit(32)]))).toThrow(
      new BindingQueryInvalid('Value holds more than 32 searchable ISCC-UNITs'),
    );
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
  ])('parses %s as %i', (text, value) => {
    expect(maxResults.parse(text)).toBe(value);
  });

  it.each(['', '0', '00', '-1', '1.0', '1e1', ' 1', '+1', 'ten', '١'])('rejects %j', (text) => {
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

  it('may have other members', () => {
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
  ])('rejects %j', (text) => {
    expect(() => parse(text)).toThrow(new BindingQueryInvalid('Invalid JSON body'));
  });
});
