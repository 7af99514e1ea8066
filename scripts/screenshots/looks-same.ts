/** Compares pictures of pages. */
import sharp from 'sharp';

/** A pixel that differs by more than this, of 255, is another one; a picture with more than this share of them too. */
const PIXEL_STEP = 24;
const SHARE_MAX = 0.001;

/** Whether a reader would see no difference between two images, frame by frame. */
export async function looksSame(before: Buffer, after: Buffer): Promise<boolean> {
  const [a, b] = await Promise.all(
    [before, after].map((bytes) =>
      sharp(bytes, { animated: true }).removeAlpha().raw().toBuffer({ resolveWithObject: true }),
    ),
  );
  if (a?.info.width !== b?.info.width || a?.info.height !== b?.info.height) return false;
  let others = 0;
  for (const [at, value] of (a?.data ?? []).entries())
    if (Math.abs(value - (b?.data[at] ?? 0)) > PIXEL_STEP) others += 1;
  return others <= (a?.data.length ?? 0) * SHARE_MAX;
}
