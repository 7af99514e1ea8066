/** Decodes images that the addon does not support, such as AVIF, with libvips. Loaded on first use. */
import { createRequire } from 'node:module';
import { native } from '../../../native.js';
import { asStillImage } from './avif.js';
import type { RawPixels } from './decoder-fallback.js';
import { FileError } from './file-error.js';

const require = createRequire(import.meta.url);

/** Whether libvips is installed for this platform. */
export function canDecodeBySharp(): boolean {
  return [process.platform, `${process.platform}musl`].some((platform) => {
    try {
      // The same lookup as in sharp itself.
      createRequire(require.resolve('sharp')).resolve(`@img/sharp-${platform}-${process.arch}/sharp.node`);
      return true;
    } catch {
      return false;
    }
  });
}

/** Decodes an image (path or bytes) without applying rotation or colour profiles, as the Image-Code requires. */
export async function decodeBySharp(image: string | Uint8Array): Promise<RawPixels> {
  const { default: sharp } = await import('sharp');
  // A worker decodes one image at a time, each once, so threads and caching do not help.
  sharp.concurrency(1);
  sharp.cache(false);
  // SVG is left to the addon, which has protections against hostile files and rejects compressed ones.
  sharp.block({ operation: ['VipsForeignLoadSvg'] });
  const decoder = sharp(await asStillImage(image), {
    failOn: 'error',
    limitInputPixels: native.IMAGE_PIXELS_MAX,
    pages: 1,
    ignoreIcc: true,
  });
  try {
    const isCmyk = (await decoder.metadata()).space === 'cmyk';
    // libvips would convert with a profile of its own, the reference converts without.
    const pixels = isCmyk ? decoder.pipelineColourspace('cmyk').toColourspace('cmyk').removeAlpha() : decoder;
    const { data, info } = await pixels.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    if (isCmyk) return { bytes: await native.cmykToRgb(data), width, height, channels: 3 };
    return { bytes: data, width, height, channels: channels as RawPixels['channels'] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new FileError(codeOf(error.message), error.message, { cause: error });
  }
}

/** What an error of libvips means, of which only the text tells. */
function codeOf(message: string): 'FILE_TOO_LARGE' | 'FORMAT_UNSUPPORTED' | 'FILE_DAMAGED' {
  if (message.includes('pixel limit')) return 'FILE_TOO_LARGE';
  // A compression that libtiff was built without, pixels in the colour space Lab, and tiles of planes.
  if (/support is not configured|bad labq format|planes not supported/.test(message))
    return 'FORMAT_UNSUPPORTED';
  return 'FILE_DAMAGED';
}
