/** HEIC and AVIF images whose pictures FFmpeg decodes, compared with iscc-sdk 0.9.7. */
import { readFileSync } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { format } from '../../src/services/codes/pipeline/formats/image.js';
import { decodePictures } from '../../src/services/codes/tools/coded-pictures.js';
import { temporaryFolder } from './support/folder.js';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures/codes/heif');

interface Answer {
  readonly iscc: string;
  readonly width: number;
  readonly height: number;
}

const ANSWERS = Object.entries(
  JSON.parse(readFileSync(path.join(FOLDER, 'reference.json'), 'utf8')) as Record<string, Answer>,
);

/** Left to libheif-js and libvips: odd sizes that libheif turns, matrices that libyuv lacks, an image without colours. */
const OTHERS: ReadonlySet<string> = new Set([
  'grid-131x67-irot1.heic',
  'matrix4-full.avif',
  'matrix4-limited.avif',
  'pillow-gray.avif',
  'matrix7-full.avif',
  'matrix7-limited.avif',
]);

const mediatypeOf = (file: string) => (file.endsWith('.heic') ? 'image/heic' : 'image/avif');

/** The file with the data of its picture `count` times, as an item with several pictures. */
function repeated(file: Buffer, count: number): Buffer {
  const start = file.indexOf('mdat') + 4;
  const picture = file.subarray(start);
  const copy = Buffer.concat([file, ...Array.from({ length: count - 1 }, () => picture)]);
  copy.writeUInt32BE(8 + picture.length * count, start - 8);
  // The only entry of the item locations ends with the length.
  const end = copy.indexOf('iloc') - 4 + copy.readUInt32BE(copy.indexOf('iloc') - 4);
  copy.writeUInt32BE(picture.length * count, end - 4);
  return copy;
}

/** A copy, because the decoder makes its folder beside the file. */
async function copyOf(name: string, content?: Uint8Array) {
  const file = path.join(await temporaryFolder(), name);
  if (content === undefined) await copyFile(path.join(FOLDER, name), file);
  else await writeFile(file, content);
  return { path: file, filename: name, mediatype: mediatypeOf(name) };
}

describe('pictures decoded by FFmpeg', () => {
  it.each(ANSWERS.filter(([name]) => !OTHERS.has(name)))('%s equals the reference', async (name, answer) => {
    const file = await copyOf(name);
    const pixels = await decodePictures(file);
    if (pixels === undefined) expect.fail('needs another decoder');
    const { unit, width, height } = await native.imageContentOfPixels(file.path, pixels, '0.9.7', 128);
    expect({ iscc: unit, width, height }).toEqual(answer);
    expect(await readdir(path.dirname(file.path))).toEqual([name]);
  });

  it('HEVC under the media type of AVIF, which tables of systems give to .hif, equals the reference', async () => {
    const name = 'yuv422p-full.heic';
    const file = { ...(await copyOf(name)), filename: 'camera.hif', mediatype: 'image/avif' };
    const { unit } = await format.content({ ...file, granular: false, compat: '0.9.7' });
    expect(unit).toBe(ANSWERS.find(([found]) => found === name)?.[1].iscc);
  });

  it.each([...OTHERS])('%s is left to another decoder', async (name) => {
    expect(await decodePictures(await copyOf(name))).toBeUndefined();
  });

  it('a picture with more frames than the image has pixels for is not decoded to the end', async () => {
    const content = repeated(await readFile(path.join(FOLDER, 'yuv420p-full.heic')), 3000);
    const pictures = await native.codedPictures((await copyOf('many.heic', content)).path);
    expect(pictures?.image.length).toBeGreaterThan(1_000_000);
    expect(pictures?.framesMaxBytes).toBe(160 * 120 * 6);
    expect(await decodePictures(await copyOf('many.heic', content))).toBeUndefined();
  });

  it.each(['grid-150x110.heic', 'pillow-444.avif'])(
    'a damaged %s is left to another decoder',
    async (name) => {
      const content = await readFile(path.join(FOLDER, name));
      const start = content.indexOf('mdat') + 4;
      const damaged = Buffer.concat([content.subarray(0, start), Buffer.alloc(content.length - start, 0xff)]);
      expect(await decodePictures(await copyOf(name, damaged))).toBeUndefined();
      const truncated = content.subarray(0, content.length - 40);
      expect(await decodePictures(await copyOf(name, truncated))).toBeUndefined();
    },
  );
});
