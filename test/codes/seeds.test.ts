/** Seed metadata of books and scholarly works, as iscc-schema 0.8.0 has it. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { linkedSeed, SeedInvalid, seedDataUrl } from '../../src/services/codes/seed/form.js';
import { parseIsbn } from '../../src/services/codes/seed/isbn.js';
import { parseStm } from '../../src/services/codes/seed/stm.js';

const book = {
  $schema: 'http://purl.org/iscc/schema/isbn-0.8.0.json',
  isbn: '9789295055124',
  productform: 'EA',
  title: 'Die unendliche Geschichte – Ä',
  language: 'ger',
  imprint: 'Penguin Classics',
  publisher: 'Penguin Random House',
  country: 'DE',
  pubdate: '20240214',
};
const article = {
  $schema: 'http://purl.org/iscc/schema/stm-0.8.0.json',
  doi: '10.5555/example.2020.0001',
  resource_type: 'JournalArticle',
  title: 'On the Stability of Quasilinear Forms',
  publisher: 'Meridian Academic Press',
  pubyear: 2020,
  version_type: 'VoR',
  container_title: 'Journal of Applied Analysis',
  issn: '1234-5678',
};

const KINDS = { isbn: [parseIsbn, book], stm: [parseStm, article] } as const;

/** SHA-256 of the Base64 of the canonical JSON (package jcs) of the classes ISBN and STM of iscc-schema 0.8.0. */
const DIGESTS = {
  isbn: [
    '0f3ee6308a22af00812882117359817d6fd78e7108354b59502cd314ef6b2270',
    'e78951e51e70756de2004536f1a0a0ef096375c4969fbaa5a8094c0f5b8495fb',
  ],
  stm: [
    'dc2bc7c39cd3d3017575715a7c7a70bf2e75facc284cb2532823d83f7f433419',
    '390d0886590dce00f5eed5245676b9df04319e8e8131769fb7ecbce61e1e4a65',
  ],
} as const;

function problems(kind: keyof typeof KINDS, change: object): readonly string[] {
  const [parse, record] = KINDS[kind];
  try {
    parse({ ...record, ...change });
  } catch (error) {
    if (error instanceof SeedInvalid) return error.problems;
    throw error;
  }
  return [];
}

describe.each(['isbn', 'stm'] as const)('seed metadata of %s', (kind) => {
  it('has the bytes of iscc-schema in both forms', () => {
    const [parse, record] = KINDS[kind];
    const seed = parse(record);
    const digests = [seed, linkedSeed(seed)].map((formed) =>
      createHash('sha256')
        .update(seedDataUrl(formed).split(',')[1] ?? '')
        .digest('hex'),
    );
    expect(digests).toEqual(DIGESTS[kind]);
  });
});

it.each<[keyof typeof KINDS, string, object]>([
  ['isbn', 'isbn', { isbn: '978-92-95055-12-4' }],
  ['isbn', 'productform', { productform: 'E' }],
  ['isbn', 'title', { title: 'x'.repeat(129) }],
  ['isbn', 'language', { language: 'en' }],
  ['isbn', 'country', { country: 'de' }],
  ['isbn', 'pubdate', { pubdate: '2024' }],
  ['isbn', 'imprint', { imprint: undefined }],
  ['isbn', '$schema', { $schema: article.$schema }],
  ['stm', 'doi', { doi: 'https://doi.org/10.5555/a' }],
  ['stm', 'doi', { doi: '10.5555/A' }],
  ['stm', 'resource_type', { resource_type: 'journal-article' }],
  ['stm', 'pubyear', { pubyear: 20 }],
  ['stm', 'pubyear', { pubyear: '2020' }],
  ['stm', 'version_type', { version_type: 'vor' }],
  ['stm', 'issn', { issn: '12345678' }],
])('of %s names %s if it is invalid', (kind, field, change) => {
  const found = problems(kind, change);
  expect(found).toHaveLength(1);
  expect(found[0]?.startsWith(`${field}: `)).toBe(true);
});

it('of a work needs no version, container and ISSN', () => {
  expect(problems('stm', { version_type: undefined, container_title: undefined, issn: undefined })).toEqual(
    [],
  );
});
