import { expect, test } from 'vitest';
import { FIELD_BYTES_MAX, limitedFields } from '../../src/iscc/file-meta.js';

const long = 'ü'.repeat(FIELD_BYTES_MAX);

test('cuts long texts between characters', () => {
  const { creator, rights } = limitedFields({ creator: `a${long}`, rights: long });
  expect(creator).toBe(`a${'ü'.repeat(FIELD_BYTES_MAX / 2 - 1)}`);
  expect(rights).toBe('ü'.repeat(FIELD_BYTES_MAX / 2));
});

test('drops long URLs, Data-URLs and languages', () => {
  const url = `https://example.com/${long}`;
  expect(limitedFields({ license: url, acquire: url, meta: url, identifier: url, name: 'N' })).toEqual({
    name: 'N',
  });
  expect(limitedFields({ language: long, width: 3 })).toEqual({ width: 3 });
});

test('keeps metadata up to the size that a Meta-Code can use', () => {
  const meta = `data:application/json;charset=utf-8;base64,${'A'.repeat(Math.ceil(128_000 / 3) * 4)}`;
  const metadata = { name: '\ufeffN', description: '', meta, creator: 'C'.repeat(FIELD_BYTES_MAX) };
  expect(limitedFields(metadata)).toEqual(metadata);
  expect(limitedFields({ language: 'de', duration: 1 })).toEqual({ language: 'de', duration: 1 });
});
