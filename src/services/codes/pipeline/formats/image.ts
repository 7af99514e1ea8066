/** Images: the addon makes code, metadata and thumbnail; other decoders provide the pixels of formats it can't decode. */
import { native } from '../../../../native.js';
import { CodesRefusal } from '../../errors.js';
import { embedIntoImage } from '../../metadata/image.js';
import type { EmbeddedMetadata } from '../../result.js';
import { asStillFile } from '../../tools/avif.js';
import { decodePictures } from '../../tools/coded-pictures.js';
import type { RawPixels } from '../../tools/decoder-fallback.js';
import { withDecoderFallback } from '../../tools/decoder-fallback.js';
import { decodeHeif } from '../../tools/heif.js';
import { refusePlacesWithoutBytes } from '../../tools/heif-places.js';
import { decodeBySharp } from '../../tools/sharp.js';
import { semanticImage } from '../semantic/image.js';
import type { SemanticModels } from '../semantic/models.js';
import { Stopwatch } from '../stopwatch.js';
import { readHead } from '../sum.js';
import { THUMBNAIL_SIDE_MAX_PIXELS, webpUrl } from '../thumbnail.js';
import type { ContentFile, Format, FormatContent, FormatFile } from './format.js';
import { type AddonMetadata, splitLanguage } from './metadata-fields.js';

export const format: Format = {
  async content(file, watch = new Stopwatch()) {
    const pixels = fallbackPixels(file);
    const content = await watch.measure('image', () => imageContent(file, pixels));
    const { semantic } = file;
    const semanticUnit =
      semantic && (await watch.measure('semantic', () => semanticUnitOf(file, pixels, semantic)));
    return { ...content, ...(semanticUnit !== undefined && { semanticUnit }) };
  },
  async metadata({ path }) {
    return splitLanguage(await native.imageMetadata(path)).metadata;
  },
  async embed({ path, mediatype }, fields) {
    if (mediatype === 'image/svg+xml') await native.embedSvg(path, texts(fields));
    else if (isWithoutWriter(await readHead(path)))
      throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { mediatype });
    else {
      if (HEIF.has(mediatype)) await refusePlacesWithoutBytes(path);
      await asStillFile(path, () => embedIntoImage(path, fields, mediatype));
    }
  },
};

/** Whether it is JPEG 2000 without boxes, which has no place for metadata, or BigTIFF, which ExifTool does not write. */
function isWithoutWriter(head: Uint8Array): boolean {
  return WITHOUT_WRITER.has(Buffer.from(head.subarray(0, 4)).toString('hex'));
}

/** First four bytes, in hexadecimal. */
const WITHOUT_WRITER: ReadonlySet<string> = new Set(['ff4fff51', '49492b00', '4d4d002b']);

function texts(fields: EmbeddedMetadata): [string, string][] {
  return Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string');
}

type Pixels = () => Promise<RawPixels>;

/** Decodes the image outside the addon on the first call and reuses the pixels. */
function fallbackPixels(file: FormatFile): Pixels {
  let pixels: Promise<RawPixels> | undefined;
  return () => {
    pixels ??= decodeOutside(file);
    return pixels;
  };
}

async function decodeOutside(file: FormatFile): Promise<RawPixels> {
  const { path, mediatype } = file;
  const ofFrames = HEIF.has(mediatype) ? await decodePictures(file) : undefined;
  return ofFrames ?? (mediatype === HEIC ? decodeHeif(path) : decodeBySharp(path));
}

const HEIC = 'image/heic';
/** Types whose pictures FFmpeg decodes. */
const HEIF: ReadonlySet<string> = new Set([HEIC, 'image/avif']);

const NOTE_OF = { depth: 'DEPTH_CLIPPED', end: 'END_MISSING' } as const;

async function imageContent(
  { path, compat, better = false }: ContentFile,
  pixels: Pixels,
): Promise<FormatContent> {
  const side = THUMBNAIL_SIDE_MAX_PIXELS;
  const image = await withDecoderFallback(
    native.imageContent(path, compat, side, better),
    pixels,
    (decoded) => native.imageContentOfPixels(path, decoded, compat, side),
  );
  const { metadata, language } = splitLanguage(image.metadata as AddonMetadata);
  const { unit, symmetries, width, height, contentIdentifier, thumbnail, loss } = image;
  return {
    unit,
    symmetries,
    metadata,
    facts: { width, height, ...(language === undefined ? {} : { language }) },
    ...(contentIdentifier && { contentIdentifier }),
    ...(thumbnail && { thumbnail: webpUrl(thumbnail) }),
    ...(loss && { notes: [NOTE_OF[loss]] }),
  };
}

async function semanticUnitOf(
  { path, compat }: ContentFile,
  pixels: Pixels,
  models: SemanticModels,
): Promise<string> {
  const square = await withDecoderFallback(native.semanticImage(path, compat), pixels, (decoded) =>
    native.semanticImageOfPixels(path, decoded, compat),
  );
  return semanticImage(models, square);
}
