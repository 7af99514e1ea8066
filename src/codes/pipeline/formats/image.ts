/** Images: code, metadata and thumbnail by the addon, on pixels of other decoders where it has none. */
import { native } from '../../../native.js';
import { EMBEDDABLE_IMAGES, embedIntoImage } from '../../metadata/image.js';
import type { EmbeddedMetadata } from '../../result.js';
import { ownOrForeign } from '../foreign.js';
import type { RawPixels } from '../raw-pixels.js';
import { semanticImage } from '../semantic/image.js';
import type { SemanticModels } from '../semantic/models.js';
import { Stopwatch } from '../stopwatch.js';
import { THUMBNAIL_SIDE_MAX_PIXELS, webpUrl } from '../thumbnail.js';
import { decodeHeif } from '../tools/heif.js';
import { decodeBySharp } from '../tools/sharp.js';
import { type FileMetadata, ownMetadata } from './file-metadata.js';
import type { ContentOptions, Format, FormatContent, FormatFile } from './format.js';

export const format: Format = {
  async content(file, options, watch = new Stopwatch()) {
    const pixels = foreignPixels(file);
    const content = await watch.measure('image', () => imageContent(file, pixels, options));
    const { semantic } = options;
    const semanticUnit =
      semantic && (await watch.measure('semantic', () => semanticUnitOf(file, pixels, options, semantic)));
    return { ...content, ...(semanticUnit !== undefined && { semanticUnit }) };
  },
  async metadata({ path }) {
    return ownMetadata(await native.imageMetadata(path)).metadata;
  },
  async embed({ path, mediatype }, fields) {
    if (mediatype === 'image/svg+xml') return native.embedSvg(path, texts(fields));
    if (!EMBEDDABLE_IMAGES.has(mediatype)) throw new Error(`${mediatype} has no place for metadata`);
    const { creator } = ownMetadata(await native.imageMetadata(path)).metadata;
    // A work keeps the creators it has: those that it has already would be there twice.
    const { creator: wanted, ...rest } = fields;
    await embedIntoImage(path, wanted === creator ? rest : fields);
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
    pixels ??= mediatype === HEIC ? decodeHeif(path) : decodeBySharp(path);
    return pixels;
  };
}

const HEIC = 'image/heic';

async function imageContent(
  { path }: FormatFile,
  pixels: Pixels,
  { compat }: ContentOptions,
): Promise<FormatContent> {
  const side = THUMBNAIL_SIDE_MAX_PIXELS;
  const image = await ownOrForeign(native.imageContent(path, compat, side), pixels, (foreign) =>
    native.imageContentOfPixels(path, foreign, compat, side),
  );
  const { metadata, language } = ownMetadata(image.metadata as FileMetadata);
  const { unit, width, height, thumbnail } = image;
  return {
    unit,
    metadata,
    facts: { width, height, ...(language === undefined ? {} : { language }) },
    ...(thumbnail && { thumbnail: webpUrl(thumbnail) }),
  };
}

async function semanticUnitOf(
  { path }: FormatFile,
  pixels: Pixels,
  { compat }: ContentOptions,
  models: SemanticModels,
): Promise<string> {
  const square = await ownOrForeign(native.semanticImage(path, compat), pixels, (foreign) =>
    native.semanticImageOfPixels(path, foreign, compat),
  );
  return semanticImage(models, square);
}
