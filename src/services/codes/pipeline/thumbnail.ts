/** Thumbnails of uploads as Data-URLs. They are not part of any code. */
import { native } from '../../../native.js';
import type { RawPixels } from '../tools/decoder-fallback.js';
import { withDecoderFallback } from '../tools/decoder-fallback.js';
import { decodeBySharp } from '../tools/sharp.js';

export const THUMBNAIL_SIDE_MAX_PIXELS = 128;

/** Thumbnail of an encoded image. Rejects if the image can't be decoded. */
export async function thumbnailOfImage(image: Uint8Array, side = THUMBNAIL_SIDE_MAX_PIXELS): Promise<string> {
  const webp = withDecoderFallback(
    native.thumbnail(image, side),
    () => decodeBySharp(image),
    (pixels) => native.thumbnailOfPixels(pixels, side),
  );
  return webpUrl(await webp);
}

export async function thumbnailOfPixels(pixels: RawPixels): Promise<string> {
  return webpUrl(await native.thumbnailOfPixels(pixels, THUMBNAIL_SIDE_MAX_PIXELS));
}

export function webpUrl(webp: Buffer): string {
  return `data:image/webp;base64,${webp.toString('base64')}`;
}
