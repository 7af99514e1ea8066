/** What the addon makes of an image, or else of the pixels that another decoder gives. */
import type { RawPixels } from './raw-pixels.js';

const NO_DECODER = /^NO_DECODER\b/;

export async function ownOrForeign<T>(
  own: Promise<T>,
  pixels: () => Promise<RawPixels>,
  foreign: (pixels: RawPixels) => Promise<T>,
): Promise<T> {
  try {
    return await own;
  } catch (error) {
    if (error instanceof Error && NO_DECODER.test(error.message)) return foreign(await pixels());
    throw error;
  }
}
