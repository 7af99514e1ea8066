import { expect, test } from 'vitest';
import { isccResult, orderedResult, withSubmitted } from '../../src/services/codes/result.js';

const parts = {
  datahash: '1e20aa',
  metahash: '1e20bb',
  generator: 'g',
  units: ['ISCC:A'],
  mediatype: 'image/png',
  filesize: 3,
  filename: 'a.png',
  mode: 'image',
  creator: 'C',
  name: 'N',
  iscc: 'ISCC:K',
} as const;

test('orders keys as the reference does and leaves out undefined values', () => {
  const result = isccResult({ ...parts, description: undefined });
  expect(Object.keys(orderedResult(result))).toEqual([
    '@context',
    '@type',
    '$schema',
    'iscc',
    'name',
    'creator',
    'mode',
    'filename',
    'filesize',
    'mediatype',
    'units',
    'generator',
    'metahash',
    'datahash',
  ]);
  const withLinks = Object.keys(orderedResult(result, { media_id: 'i', content: 'u' }));
  expect(withLinks.indexOf('media_id')).toBe(withLinks.indexOf('creator') + 1);
  expect(withLinks.indexOf('content')).toBe(withLinks.indexOf('media_id') + 1);
});

test.each([
  ['text', 'TextDigitalDocument'],
  ['image', 'ImageObject'],
  ['audio', 'AudioObject'],
  ['video', 'VideoObject'],
] as const)('mode %s has the @type %s', (mode, type) => {
  expect(isccResult({ ...parts, mode })['@type']).toBe(type);
});

test('a result without a mode has the @type CreativeWork', () => {
  const { mode, ...rest } = parts;
  expect(isccResult(rest)['@type']).toBe('CreativeWork');
});

test('adds submitted fields and keeps values read from the file', () => {
  const result = isccResult(parts);
  const merged = withSubmitted(result, { creator: 'Other', rights: 'R', name: undefined }, true);
  expect(merged).toEqual({ ...result, rights: 'R' });
});

test('a submitted name replaces a name derived from the file name only', () => {
  const result = isccResult(parts);
  expect(withSubmitted(result, { name: 'Sent' }, false).name).toBe('Sent');
  expect(withSubmitted(result, { name: 'Sent' }, true).name).toBe('N');
  expect(withSubmitted(result, {}, false).name).toBe('N');
});
