/** TIFF files that go to libvips. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { decodeBySharp } from '../../src/codes/pipeline/tools/sharp.js';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures/codes/tiff');

it('a valid file with a compression that has no decoder is not called damaged', async () => {
  const file = await readFile(path.join(FOLDER, 'zstd.tif'));
  await expect(decodeBySharp(file)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' });
  await expect(decodeBySharp(file.subarray(0, 60))).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
});
