/** PDF: text, information dictionary, and a thumbnail of the first page. */
import { readFile } from 'node:fs/promises';
import { native } from '../../../../native.js';
import type { EmbeddedMetadata } from '../../result.js';
import { type PdfDocument, PdfUnreadable, type RgbaImage, withPdf } from '../../tools/pdfium.js';
import type { Note } from '../notes.js';
import { Stopwatch } from '../stopwatch.js';
import { thumbnailOfPixels } from '../thumbnail.js';
import type { Format } from './format.js';
import { mapTags, type TagMap } from './metadata-fields.js';
import { embedPdfMetadata } from './pdf-embed.js';
import { documentTexts, type PdfTexts } from './pdf-text.js';
import { type ContentTexts, textContent } from './text-content.js';

export const format: Format = {
  async content(file, watch = new Stopwatch()) {
    const { metadata, thumbnail, ...texts } = await watch.measure('pdf', async () =>
      readPdf(await readFile(file.path)),
    );
    const { notes, ...chosen } = textsFor(texts, file.better === true);
    return {
      ...(await textContent(chosen, file, watch)),
      ...(notes.length > 0 && { notes }),
      metadata,
      ...(thumbnail !== undefined && { thumbnail }),
    };
  },
  metadata: async (file) => extractPdfMetadata(await readFile(file.path)),
  embed: embedPdfMetadata,
};

export interface PdfContent extends PdfTexts {
  readonly metadata: EmbeddedMetadata;
  readonly thumbnail?: string;
}

/** The texts for code, simprints and reader, and notes about their differences. */
function textsFor({ text, pages, values }: PdfTexts, better: boolean): ContentTexts & { notes: Note[] } {
  const whole = values === '' ? pages : `${pages}\n${values}`;
  if (better) return { coded: whole, notes: [] };
  const notes: Note[] = [
    ...(pages === text ? [] : (['TURNED_TEXT_OMITTED'] as const)),
    ...(values === '' ? [] : (['FORM_VALUES_OMITTED'] as const)),
  ];
  return { coded: text, simprinted: pages, shown: whole, notes };
}

/** Limits the memory for a page, which may be 200 inches wide. */
const RENDER_SIDE_MAX_PIXELS = 2048;

export async function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  const { picture, ...content } = await withPdf(bytes, (document) => ({
    ...documentTexts(document),
    metadata: documentMetadata(document, bytes),
    picture: firstPage(document),
  }));
  const thumbnail = picture && (await thumbnailOfPixels({ ...picture, channels: 4 }).catch(() => undefined));
  return { ...content, ...(thumbnail !== undefined && { thumbnail }) };
}

/** Reads the information dictionary, and the XMP packet for what that does not have. */
export function extractPdfMetadata(bytes: Uint8Array): Promise<EmbeddedMetadata> {
  return withPdf(bytes, (document) => documentMetadata(document, bytes));
}

const INFO = [
  ['iscc_name', 'name'],
  ['iscc_description', 'description'],
  ['iscc_meta', 'meta'],
  ['iscc_license', 'license'],
  ['iscc_acquire', 'acquire'],
  ['iscc_credit', 'credit'],
  ['iscc_rights', 'rights'],
  ['iscc_identifier', 'identifier'],
  ['Title', 'name'],
  ['Subject', 'description'],
  ['Author', 'creator'],
  ['Keywords', 'keywords'],
] as const satisfies TagMap<keyof EmbeddedMetadata>;

const XMP = [
  ['title', 'name'],
  ['description', 'description'],
  ['creator', 'creator'],
  ['rights', 'rights'],
  ['keywords', 'keywords'],
] as const satisfies TagMap<keyof EmbeddedMetadata>;

function documentMetadata(document: PdfDocument, bytes: Uint8Array): EmbeddedMetadata {
  const packet = native.readPdfXmp(bytes);
  return {
    ...plainFields(XMP, (key) => packet[key]),
    ...plainFields(INFO, (key) => document.info(key)),
  };
}

function plainFields<Key extends string>(
  map: readonly (readonly [key: Key, field: keyof EmbeddedMetadata])[],
  value: (key: Key) => string | undefined,
): EmbeddedMetadata {
  return mapTags(map, new Map(map.map(([key]) => [key, native.plainText(value(key) ?? '')])));
}

/** A page that fails to render only costs the thumbnail. */
function firstPage(document: PdfDocument): RgbaImage | undefined {
  try {
    return document.pages === 0 ? undefined : document.renderPage(0, RENDER_SIDE_MAX_PIXELS);
  } catch (error) {
    if (error instanceof PdfUnreadable) return undefined;
    throw error;
  }
}
