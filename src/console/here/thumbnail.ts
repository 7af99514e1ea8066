/** Small pictures of files, made in the page. */

const SIDE_MAX = 128;
/** Decoding larger ones would take more memory than the code does. */
const PIXELS_MAX = 64_000_000;

/** A data URL; `undefined` if the browser does not decode the picture. */
export async function thumbnailOf(file: Blob, width: number, height: number): Promise<string | undefined> {
  if (width * height > PIXELS_MAX) return undefined;
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) return undefined;
  const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height));
  const [w, h] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale)));
  const canvas = new OffscreenCanvas(w ?? 1, h ?? 1);
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  // As in the thumbnails of the service, transparency shows white.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return `data:${blob.type};base64,${btoa(String.fromCharCode(...bytes))}`;
}
