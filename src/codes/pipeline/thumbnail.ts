/** Small pictures of what was uploaded, as Data-URLs. They are no part of any code. */
import sharp, { type Sharp } from 'sharp';
import { IMAGE_PIXELS_MAX, type RawPixels } from './raw-pixels.js';

export const THUMBNAIL_SIDE_MAX_PIXELS = 128;
const QUALITY = 30;
const SHARPEN_SIGMA = 0.8;

// One job at a time runs in this process, and each image once: neither threads nor a cache pay.
sharp.concurrency(1);
sharp.cache(false);

/** A thumbnail of an encoded image: its path or its bytes. Rejects if it can't be decoded. */
export function thumbnailOfImage(image: string | Uint8Array): Promise<string> {
  return encode(sharp(image, { failOn: 'none', limitInputPixels: IMAGE_PIXELS_MAX, pages: 1 }));
}

export function thumbnailOfPixels({ bytes, width, height, channels }: RawPixels): Promise<string> {
  return encode(sharp(bytes, { raw: { width, height, channels }, limitInputPixels: IMAGE_PIXELS_MAX }));
}

/** An encoded image as its pixels, not turned; colour profiles are ignored, as the Image-Code does. */
export async function decodePixels(path: string): Promise<RawPixels> {
  const image = sharp(path, {
    failOn: 'error',
    limitInputPixels: IMAGE_PIXELS_MAX,
    pages: 1,
    ignoreIcc: true,
  });
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { bytes: data, width, height, channels: channels as RawPixels['channels'] };
}

/** The longer side is cut to the limit; an orientation in the file is not applied, as width and height are not turned either. */
async function encode(image: Sharp): Promise<string> {
  const side = THUMBNAIL_SIDE_MAX_PIXELS;
  const webp = await image
    .flatten({ background: '#ffffff' })
    .resize(side, side, { fit: 'inside', withoutEnlargement: true, kernel: 'lanczos3' })
    .sharpen({ sigma: SHARPEN_SIGMA })
    .webp({ quality: QUALITY })
    .toBuffer();
  return `data:image/webp;base64,${webp.toString('base64')}`;
}
