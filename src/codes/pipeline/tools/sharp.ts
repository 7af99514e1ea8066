/** Images that the addon has no decoder for, such as AVIF, through libvips. It is loaded when the first of them comes. */
import { IMAGE_PIXELS_MAX, type RawPixels } from '../raw-pixels.js';

/** An encoded image (path or bytes) as its pixels, not turned; colour profiles are ignored, as the Image-Code does. */
export async function decodeBySharp(image: string | Uint8Array): Promise<RawPixels> {
  const { default: sharp } = await import('sharp');
  // One job at a time runs in this process, and each image once: neither threads nor a cache pay.
  sharp.concurrency(1);
  sharp.cache(false);
  const decoder = sharp(image, {
    failOn: 'error',
    limitInputPixels: IMAGE_PIXELS_MAX,
    pages: 1,
    ignoreIcc: true,
  });
  const { data, info } = await decoder.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { bytes: data, width, height, channels: channels as RawPixels['channels'] };
}
