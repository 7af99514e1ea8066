/** Decodes HEIC images with libheif (WebAssembly), an optional dependency. Without it HEIC is unsupported. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { native } from '../../../native.js';
import type { RawPixels } from './decoder-fallback.js';
import { FileError, type FileErrorCode } from './file-error.js';

const MODULE = 'libheif-js/wasm-bundle';
const require = createRequire(import.meta.url);

/** The part of the library's API used here. */
interface LibHeif {
  readonly HeifDecoder: new () => HeifDecoder;
  heif_context_free(context: object): void;
}

interface HeifDecoder {
  /** Holds a copy of the file and all decoded data. The library never frees the last context. */
  readonly decoder: object | null;
  decode(file: Uint8Array): HeifImage[];
}

interface HeifImage {
  get_width(): number;
  get_height(): number;
  display(target: PixelTarget, done: (result: PixelTarget | null) => void): void;
  free(): void;
}

interface PixelTarget {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** The file has no image that can be decoded. */
export class HeifUnreadable extends FileError {
  override readonly name = 'HeifUnreadable';

  constructor(message: string, code: FileErrorCode = 'FILE_DAMAGED') {
    super(code, message);
  }
}

/** Whether the library is installed. */
export function canDecodeHeif(): boolean {
  try {
    require.resolve(MODULE);
    return true;
  } catch {
    return false;
  }
}

/** Decodes the first image of a file, with its rotation applied. */
export async function decodeHeif(path: string): Promise<RawPixels> {
  const libheif = require(MODULE) as LibHeif;
  const decoder = new libheif.HeifDecoder();
  let images: HeifImage[] = [];
  try {
    images = decoder.decode(await readFile(path));
    const [image] = images;
    if (image === undefined) throw new HeifUnreadable('the file contains no image');
    const [width, height] = [image.get_width(), image.get_height()];
    if (width * height > native.IMAGE_PIXELS_MAX) {
      const pixels = `${width} x ${height} pixels exceed the limit of ${native.IMAGE_PIXELS_MAX}`;
      throw new HeifUnreadable(pixels, 'FILE_TOO_LARGE');
    }
    const data = await pixelsOf(image, width, height);
    return { bytes: new Uint8Array(data.buffer), width, height, channels: 4 };
  } finally {
    for (const one of images) one.free();
    if (decoder.decoder !== null) libheif.heif_context_free(decoder.decoder);
  }
}

function pixelsOf(image: HeifImage, width: number, height: number): Promise<Uint8ClampedArray> {
  const target = { data: new Uint8ClampedArray(width * height * 4), width, height };
  return new Promise((resolve, reject) => {
    image.display(target, (result) => {
      if (result === null) reject(new HeifUnreadable('the image can not be decoded'));
      else resolve(result.data);
    });
  });
}
