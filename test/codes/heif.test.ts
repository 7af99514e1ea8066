/** The HEIC decoder, run in this process. */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';
import { decodeHeif, HeifUnreadable } from '../../src/services/codes/tools/heif.js';
import { temporaryFolder } from './support/folder.js';
import { recorded } from './support/recorded.js';

const PADDING_BYTES = 20_000_000;

it('frees the memory of every file', async () => {
  const folder = await temporaryFolder();
  const large = path.join(folder, 'large.heic');
  const padding = Buffer.alloc(PADDING_BYTES);
  padding.writeUInt32BE(PADDING_BYTES);
  padding.write('free', 4);
  await writeFile(large, Buffer.concat([await readFile(recorded('pic_a.heic').path), padding]));
  const empty = path.join(folder, 'empty.heic');
  await writeFile(empty, padding);
  const heap = () => (createRequire(import.meta.url)('libheif-js/wasm-bundle') as Heap).HEAPU8.length;
  await decodeHeif(large);
  const before = heap();
  for (let count = 0; count < 4; count += 1) await decodeHeif(large);
  await expect(decodeHeif(empty)).rejects.toThrow(HeifUnreadable);
  expect(heap() - before).toBeLessThan(2 * PADDING_BYTES);
});

interface Heap {
  readonly HEAPU8: Uint8Array;
}
