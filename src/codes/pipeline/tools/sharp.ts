/** Images that the addon has no decoder for, such as AVIF, through libvips. It is loaded when the first of them comes. */
import { createRequire } from 'node:module';
import { IMAGE_PIXELS_MAX, type RawPixels } from '../decoder-fallback.js';

const require = createRequire(import.meta.url);

/** Whether libvips is installed for this platform. */
export function canDecodeBySharp(): boolean {
  return [process.platform, `${process.platform}musl`].some((platform) => {
    try {
      // As the library itself looks for it.
      createRequire(require.resolve('sharp')).resolve(`@img/sharp-${platform}-${process.arch}/sharp.node`);
      return true;
    } catch {
      return false;
    }
  });
}

/** An encoded image (path or bytes) as its pixels, not turned; colour profiles are ignored, as the Image-Code does. */
export async function decodeBySharp(image: string | Uint8Array): Promise<RawPixels> {
  const { default: sharp } = await import('sharp');
  // One job at a time runs in this process, and each image once: neither threads nor a cache pay.
  sharp.concurrency(1);
  sharp.cache(false);
  // Drawings are the addon's: it guards against what they can do, and takes none that is packed.
  sharp.block({ operation: ['VipsForeignLoadSvg'] });
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
