/** Images: pixels by the addon, by other decoders where the addon has none; thumbnails by sharp. */
import { native } from '../../../native.js';
import { EMBEDDABLE_IMAGES, embedIntoImage } from '../../metadata/image.js';
import type { EmbeddedMetadata } from '../../result.js';
import type { RawPixels } from '../raw-pixels.js';
import { semanticImage } from '../semantic/image.js';
import type { SemanticModels } from '../semantic/models.js';
import { Stopwatch } from '../stopwatch.js';
import { decodePixels, thumbnailOfImage, thumbnailOfPixels } from '../thumbnail.js';
import { decodeHeif } from '../tools/heif.js';
import { type FileMetadata, ownMetadata } from './file-metadata.js';
import type { ContentOptions, Format, FormatContent, FormatFile } from './format.js';

export const format: Format = {
  async content(file, options, watch = new Stopwatch()) {
    const pixels = foreignPixels(file);
    const [content, thumbnail] = await Promise.all([
      watch.measure('image', () => imageContent(file, pixels, options)),
      watch.measure('thumbnail', () => thumbnailOf(file, pixels)),
    ]);
    const { semantic } = options;
    const semanticUnit =
      semantic && (await watch.measure('semantic', () => semanticUnitOf(file, pixels, options, semantic)));
    return {
      ...content,
      ...(semanticUnit !== undefined && { semanticUnit }),
      ...(thumbnail !== undefined && { thumbnail }),
    };
  },
  async metadata({ path }) {
    return ownMetadata(await native.imageMetadata(path)).metadata;
  },
  async embed({ path, mediatype }, fields) {
    if (mediatype === 'image/svg+xml') return native.embedSvg(path, texts(fields));
    if (!EMBEDDABLE_IMAGES.has(mediatype)) throw new Error(`${mediatype} has no place for metadata`);
    await embedIntoImage(path, fields);
  },
};

/** Fields that are text, as pairs. */
function texts(fields: EmbeddedMetadata): [string, string][] {
  return Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string');
}

type Pixels = () => Promise<RawPixels>;

/** Pixels of what the addon can't decode, decoded when they are first asked for. */
function foreignPixels({ path, mediatype }: FormatFile): Pixels {
  let pixels: Promise<RawPixels> | undefined;
  return () => {
    pixels ??= mediatype === HEIC ? decodeHeif(path) : decodePixels(path);
    return pixels;
  };
}

const HEIC = 'image/heic';
const NO_DECODER = /^NO_DECODER\b/;

/** What the addon makes of the file, or else of the pixels that another decoder gives. */
async function ownOrForeign<T>(
  own: Promise<T>,
  pixels: Pixels,
  foreign: (pixels: RawPixels) => Promise<T>,
): Promise<T> {
  try {
    return await own;
  } catch (error) {
    if (error instanceof Error && NO_DECODER.test(error.message)) return foreign(await pixels());
    throw error;
  }
}

async function imageContent(
  { path }: FormatFile,
  pixels: Pixels,
  { compat }: ContentOptions,
): Promise<FormatContent> {
  const image = await ownOrForeign(
    native.imageContent(path, compat),
    pixels,
    ({ bytes, width, height, channels }) =>
      native.imageContentOfPixels(path, bytes, width, height, channels, compat),
  );
  const { metadata, language } = ownMetadata(image.metadata as FileMetadata);
  const { unit, width, height } = image;
  return { unit, metadata, facts: { width, height, ...(language === undefined ? {} : { language }) } };
}

async function semanticUnitOf(
  { path }: FormatFile,
  pixels: Pixels,
  { compat }: ContentOptions,
  models: SemanticModels,
): Promise<string> {
  const square = await ownOrForeign(
    native.semanticImage(path, compat),
    pixels,
    ({ bytes, width, height, channels }) =>
      native.semanticImageOfPixels(path, bytes, width, height, channels, compat),
  );
  return semanticImage(models, square);
}

/** A file without thumbnail is no reason to refuse it. */
async function thumbnailOf({ path, mediatype }: FormatFile, pixels: Pixels): Promise<string | undefined> {
  try {
    return await (mediatype === HEIC ? thumbnailOfPixels(await pixels()) : thumbnailOfImage(path));
  } catch {
    // Formats that sharp does not read, such as BMP.
    const { samples, width, height, channels } = await native.imagePixels(path).catch(() => NO_PIXELS);
    if (width === 0) return undefined;
    return thumbnailOfPixels({ bytes: samples, width, height, channels: channels === 1 ? 1 : 3 });
  }
}

const NO_PIXELS = { samples: Buffer.alloc(0), width: 0, height: 0, channels: 1 };
