/** Images: pixels by the addon, by sharp where the addon has no decoder; thumbnails by sharp. */
import { native } from '../../../native.js';
import { EMBEDDABLE_IMAGES, embedIntoImage } from '../../metadata/image.js';
import type { EmbeddedMetadata } from '../../result.js';
import { Stopwatch } from '../stopwatch.js';
import { decodePixels, thumbnailOfImage, thumbnailOfPixels } from '../thumbnail.js';
import { type FileMetadata, ownMetadata } from './file-metadata.js';
import type { ContentOptions, Format, FormatContent, FormatFile } from './format.js';

const NO_DECODER = /^NO_DECODER\b/;

export const format: Format = {
  async content(file, options, watch = new Stopwatch()) {
    const [content, thumbnail] = await Promise.all([
      watch.measure('image', () => imageContent(file, options)),
      watch.measure('thumbnail', () => thumbnailOf(file)),
    ]);
    return thumbnail === undefined ? content : { ...content, thumbnail };
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

async function imageContent({ path }: FormatFile, { compat }: ContentOptions): Promise<FormatContent> {
  const image = await native.imageContent(path, compat).catch(async (error: unknown) => {
    if (!isNoDecoder(error)) throw error;
    const { bytes, width, height, channels } = await decodePixels(path);
    return native.imageContentOfPixels(path, bytes, width, height, channels, compat);
  });
  const { metadata, language } = ownMetadata(image.metadata as FileMetadata);
  const { unit, width, height } = image;
  return { unit, metadata, facts: { width, height, ...(language === undefined ? {} : { language }) } };
}

/** A file without thumbnail is no reason to refuse it. */
async function thumbnailOf({ path }: FormatFile): Promise<string | undefined> {
  try {
    return await thumbnailOfImage(path);
  } catch {
    // Formats that sharp does not read, such as BMP.
    const { samples, width, height, channels } = await native.imagePixels(path).catch(() => NO_PIXELS);
    if (width === 0) return undefined;
    return thumbnailOfPixels({ bytes: samples, width, height, channels: channels === 1 ? 1 : 3 });
  }
}

const NO_PIXELS = { samples: Buffer.alloc(0), width: 0, height: 0, channels: 1 };

function isNoDecoder(error: unknown): boolean {
  return error instanceof Error && NO_DECODER.test(error.message);
}
