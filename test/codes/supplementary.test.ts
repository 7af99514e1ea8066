/** Characters beyond U+FFFF, which the extractor of iscc-sdk 0.9.7 replaces. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uploaded } from './support/client.js';
import { distances } from './support/reference.js';
import { type CodesServer, startCodes } from './support/server.js';

const TEXT = 'A text with emoji \u{1f600} and with a letter of mathematics \u{1d4d2}.\n';

/** Of iscc-sdk 0.9.7, for `TEXT` and for it with six times U+FFFD in place of each of the two. */
const RECORDED = 'ISCC:EADSH3V27XI2Q5USIULLP24RLMGYF5TYZ3IZG4JQFWHYDOAW2ZKXCYI';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes();
});
afterAll(() => server.close());

const result = (text: string, compat: 'exact' | 'better') =>
  uploaded(server.url, 'a.txt', new TextEncoder().encode(text), { query: `?compat=${compat}` });

test('the code of a text with emoji is that of iscc-sdk, and a note says what it lacks', async () => {
  const exact = await result(TEXT, 'exact');
  expect(exact.units[1]).toBe(RECORDED);
  expect(exact.note).toMatch(/^CHARACTERS_REPLACED: /);
  const replaced = await result(TEXT.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'.repeat(6)), 'exact');
  expect(replaced.units[1]).toBe(RECORDED);
  expect(replaced.note).toBeUndefined();
});

test('with compat=better the code has them, and simprints always do', async () => {
  const [exact, better] = [await result(TEXT, 'exact'), await result(TEXT, 'better')];
  expect(better.note).toBeUndefined();
  expect(distances(better.units, exact.units)?.filter((bits) => bits > 0)).toHaveLength(1);
  expect(better.features).toEqual(exact.features);
});
