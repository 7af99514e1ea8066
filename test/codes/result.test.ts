import { expect, test } from 'vitest';
import { isccResult, withLinks, withSubmitted } from '../../src/codes/result.js';

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

test('keys come in the order of the reference, and only with a value', () => {
  const result = isccResult({ ...parts, description: undefined });
  expect(Object.keys(result)).toEqual([
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
  const answered = Object.keys(withLinks(result, { media_id: 'i', content: 'u' }));
  expect(answered.indexOf('media_id')).toBe(answered.indexOf('creator') + 1);
  expect(answered.indexOf('content')).toBe(answered.indexOf('media_id') + 1);
});

test.each([
  ['text', 'TextDigitalDocument'],
  ['image', 'ImageObject'],
  ['audio', 'AudioObject'],
  ['video', 'VideoObject'],
] as const)('%s is a %s', (mode, type) => {
  expect(isccResult({ ...parts, mode })['@type']).toBe(type);
});

test('what no mode covers is a CreativeWork', () => {
  const { mode, ...rest } = parts;
  expect(isccResult(rest)['@type']).toBe('CreativeWork');
});

test('submitted fields fill gaps and replace nothing', () => {
  const result = isccResult(parts);
  const merged = withSubmitted(result, { creator: 'Other', rights: 'R', name: undefined });
  expect(merged).toEqual({ ...result, rights: 'R' });
});

test('a submitted name stands for one that was made from the file’s, and for no other', () => {
  const of = (filename: string, name: string) =>
    withSubmitted(isccResult({ ...parts, filename, name }), { name: 'Sent' }).name;
  expect(of('my-film_ﬁnal  cut.avi', 'my film final cut')).toBe('Sent');
  expect(of(`${'ü'.repeat(100)}.avi`, 'ü'.repeat(64))).toBe('Sent');
  expect(of('my-film.avi', 'my')).toBe('my');
  expect(of('my-film.avi', 'Read')).toBe('Read');
  expect(withSubmitted(isccResult({ ...parts, filename: 'N.avi' }), {}).name).toBe('N');
});
