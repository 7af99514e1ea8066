/** Animated AVIF: libvips opens it, and ExifTool finds the place of XMP in it, only under the brand of a still image. */
import { open, readFile } from 'node:fs/promises';
import { FileError } from './file-error.js';

/** Size, type and major brand of the first box. */
const START_BYTES = 12;
const BRAND_AT = 8;
const STILL = 'avif';
const SEQUENCE = 'avis';
const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;

/**
 * The image for a decoder of still images: an animation as a copy with the brand of a still image, which then has its
 * first picture; other images unchanged.
 *
 * @throws {FileError} if the file has pictures in a track only
 */
export async function asStillImage(image: string | Uint8Array): Promise<string | Uint8Array> {
  const start = typeof image === 'string' ? await startOf(image) : image;
  if (!isSequence(start)) return image;
  const copy = Buffer.from(typeof image === 'string' ? await readFile(image) : image);
  if (!hasItems(copy)) throw new FileError('FORMAT_UNSUPPORTED', 'the AVIF sequence has no still image');
  copy.write(STILL, BRAND_AT, 'latin1');
  return copy;
}

/** Runs `work` on a file that has the brand of a still image meanwhile, if it is an animation. */
export async function asStillFile(path: string, work: () => Promise<unknown>): Promise<void> {
  const isAnimation = isSequence(await startOf(path));
  if (isAnimation) await writeBrand(path, STILL);
  await work();
  if (isAnimation) await writeBrand(path, SEQUENCE);
}

async function writeBrand(path: string, brand: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(brand, BRAND_AT, 'latin1');
  } finally {
    await file.close();
  }
}

async function startOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function isSequence(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(4, START_BYTES)).toString('latin1') === `ftyp${SEQUENCE}`;
}

/** Whether the file itself has a box `meta`, which lists still images. */
function hasItems(file: Buffer): boolean {
  for (let at = 0; file.length - at >= HEADER_BYTES; ) {
    if (file.toString('latin1', at + 4, at + HEADER_BYTES) === 'meta') return true;
    const short = file.readUInt32BE(at);
    const isLarge = short === 1 && file.length - at >= LARGE_HEADER_BYTES;
    const bytes = isLarge ? Number(file.readBigUInt64BE(at + HEADER_BYTES)) : short;
    if (bytes < (isLarge ? LARGE_HEADER_BYTES : HEADER_BYTES)) return false;
    at += bytes;
  }
  return false;
}
