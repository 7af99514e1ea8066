/** Documents of OpenOffice 1, which have the elements of OpenDocument in other namespaces. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { native } from '../../src/native.js';

const path = fileURLToPath(new URL('../fixtures/office/openoffice/comments.sxw', import.meta.url));

it.each(['comments.sxw', 'unnamed'])('%s: text and properties are those of the reference', async (name) => {
  const { mediatype, mode } = native.inspect(name, readFileSync(path).subarray(0, 4096));
  expect([mediatype, mode]).toEqual(['application/vnd.sun.xml.writer', 'text']);
  const { unit, metadata } = await native.textFileContent(path, mediatype, {
    granular: false,
    keepText: false,
    compat: '0.9.7',
  });
  // By iscc-sdk 0.9.7.
  expect(unit).toBe('ISCC:EADVJL5T4S6EFZP6UABEXKBG3DZ22GCIAEOXNTDBPOSBVQAYDV2X5HY');
  expect(metadata).toMatchObject({
    name: 'The second edition corrects the first 9800',
    creator: 'Ada Meyer',
  });
});
