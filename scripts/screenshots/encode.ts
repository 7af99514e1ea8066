/** Small files of screenshots. */
import sharp from 'sharp';

export interface Shot {
  readonly png: Buffer;
  /** How long a loop shows it. */
  readonly ms: number;
}

/** A PNG with 256 colours: a page has few, and a photo in it loses little. */
export function encodePicture(png: Buffer): Promise<Buffer> {
  return sharp(png).png({ palette: true, quality: 90, effort: 10, compressionLevel: 9 }).toBuffer();
}

/** An animated WebP that repeats for ever. */
export function encodeLoop(shots: readonly Shot[]): Promise<Buffer> {
  return sharp(
    shots.map(({ png }) => png),
    { join: { animated: true } },
  )
    .webp({ quality: 80, effort: 6, loop: 0, delay: shots.map(({ ms }) => ms) })
    .toBuffer();
}
