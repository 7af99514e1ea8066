/** What the field of the console takes a text for. */
import { describe, expect, test } from 'vitest';

/** Not named in an import, because the console is compiled with the types of browsers, and tests are not. */
const MODULE = '../../src/console/find/asked.js';
const { asked } = (await import(MODULE)) as { asked: (typed: string) => unknown };

const CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';
const UNIT = 'ISCC:AAAT4EBWK27737D2';
const ID = 'ISCC:MAIGIIFJRDGEQQAA';
const MANIFEST = 'urn:c2pa:4479a4fa-366a-457c-9bc8-fed2129129a9';

describe('the field takes', () => {
  test.each([
    ['a code', CODE, { iscc_code: CODE }],
    ['a code in lower case', CODE.toLowerCase(), { iscc_code: CODE }],
    ['a code without its prefix', ` ${CODE.slice(5)} `, { iscc_code: CODE }],
    ['an ISCC-ID', ID, { iscc_id: ID }],
    ['a unit', UNIT, { units: [UNIT] }],
    ['several units', `${UNIT}\nISCC:EAARMJLTQCUWAND2`, { units: [UNIT, 'ISCC:EAARMJLTQCUWAND2'] }],
    ['a JSON result', JSON.stringify({ iscc: CODE, units: [UNIT] }), { units: [UNIT] }],
  ])('%s', (_, text, query) => expect(asked(text)).toEqual({ kind: 'codes', query }));

  test.each([
    [MANIFEST, { kind: 'manifest', id: MANIFEST }],
    [`adobe:${MANIFEST}`, { kind: 'manifest', id: `adobe:${MANIFEST}` }],
    [`https://a.example/v1/manifests/${encodeURIComponent(MANIFEST)}`, { kind: 'manifest', id: MANIFEST }],
    [`http://a.example/#manifest=${encodeURIComponent(MANIFEST)}`, { kind: 'manifest', id: MANIFEST }],
    [
      `http://a.example/#code=${CODE}&index=photos`,
      { kind: 'codes', query: { iscc_code: CODE }, index: 'photos' },
    ],
    ['https://a.example/a%.jpg', { kind: 'address', url: 'https://a.example/a%.jpg' }],
  ])('%s', (text, expected) => expect(asked(text)).toEqual(expected));

  test.each([
    'banana',
    'internationalisation',
    'A sentence that names ISCC:AAAT4EBWK27737D2 is a text.',
    'NATIONALISATIONS and other words',
  ])('%s as a text', (text) => expect(asked(text)).toEqual({ kind: 'text', text }));

  test.each([
    ['', 'Paste a code, a text or an address first.'],
    ['ISCC:XX', '“ISCC:XX” is not a code.'],
    [`${UNIT} ${ID}`, 'Search for one ISCC-ID at a time.'],
    ['{"units": ', 'This is not valid JSON.'],
    ['{"name": "a"}', 'The JSON has neither "units" nor "iscc".'],
  ])('no %j', (text, message) => expect(() => asked(text)).toThrow(message));
});
