/** Uses the addon's image decoder and, if it has none for the format, the pixels from another decoder. */
import { isNativeError } from '../../../native.js';

/** Rows of pixels without gaps, 8 bits per sample. */
export interface RawPixels {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** 1 grey, 2 grey with alpha, 3 RGB, 4 RGBA. */
  readonly channels: 1 | 2 | 3 | 4;
}

/** Resolves to `addonResult`, or to `fromPixels` of the other decoder's pixels if the addon has no decoder. */
export async function withDecoderFallback<T>(
  addonResult: Promise<T>,
  otherDecoder: () => Promise<RawPixels>,
  fromPixels: (pixels: RawPixels) => Promise<T>,
): Promise<T> {
  try {
    return await addonResult;
  } catch (error) {
    if (isNativeError(error, 'NO_DECODER')) return fromPixels(await otherDecoder());
    throw error;
  }
}
