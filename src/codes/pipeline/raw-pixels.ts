/** Decoded images on their way from one library to another. */

/** Above this the reference refuses an image as a decompression bomb. */
export const IMAGE_PIXELS_MAX = 256_000_000;

/** Pixels row by row without gaps, 8 bits per sample. */
export interface RawPixels {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** 1 gray, 2 gray with alpha, 3 RGB, 4 RGBA. */
  readonly channels: 1 | 2 | 3 | 4;
}
