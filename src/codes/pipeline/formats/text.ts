/** Plain text, markup and office documents: the addon extracts the text and its properties. */
import { native } from '../../../native.js';
import { CodesRefusal } from '../../errors.js';
import type { FeatureSet } from '../../result.js';
import { semanticText } from '../semantic/text.js';
import { Stopwatch } from '../stopwatch.js';
import { thumbnailOfImage } from '../thumbnail.js';
import type { Format, FormatFile } from './format.js';
import { type AddonMetadata, splitLanguage } from './metadata-fields.js';
import { contentFeatures, withSemantics } from './text-content.js';

export const format: Format = {
  async content(file, watch = new Stopwatch()) {
    const { granular, compat, semantic } = file;
    const keepText = semantic !== undefined;
    const [text, thumbnail] = await Promise.all([
      watch.measure('text', () =>
        native.textFileContent(file.path, file.mediatype, granular, keepText, compat),
      ),
      EPUB.has(file.mediatype) ? watch.measure('thumbnail', () => coverOf(file)) : undefined,
    ]);
    const clean = text.text;
    const semantics =
      semantic && clean && (await watch.measure('semantic', () => semanticText(semantic, clean)));
    const { metadata, language } = splitLanguage(text.metadata as AddonMetadata);
    const { unit, characters } = text;
    return {
      unit,
      metadata,
      facts: { characters, ...(language === undefined ? {} : { language }) },
      ...withSemantics(semantics, granular ? featureSets(text) : undefined),
      ...(thumbnail === undefined ? {} : { thumbnail }),
    };
  },

  async metadata({ path, mediatype }) {
    return splitLanguage((await native.textMetadata(path, mediatype)) as AddonMetadata).metadata;
  },

  async embed({ path, mediatype }, { name, description, creator, keywords }) {
    if (!EMBEDDABLE.has(mediatype)) throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { mediatype });
    const fields = { title: name, description, creator, keywords };
    await native.embedDocument(path, mediatype, present(fields));
  },
};

const EPUB = new Set(['application/epub+zip', 'application/x-ibooks+zip']);
const EMBEDDABLE = new Set([
  ...EPUB,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
]);

interface Simprints {
  readonly simprints?: readonly string[];
  readonly offsets?: readonly number[];
  readonly sizes?: readonly number[];
}

function featureSets({ simprints = [], offsets = [], sizes = [] }: Simprints): FeatureSet[] {
  return simprints.length === 0 ? [] : [contentFeatures({ simprints, offsets, sizes })];
}

/** Thumbnail of an EPUB's cover. A failing cover does not fail the book. */
async function coverOf({ path, mediatype }: FormatFile): Promise<string | undefined> {
  try {
    const { cover } = await native.readDocument(path, mediatype);
    return cover && (await thumbnailOfImage(cover));
  } catch {
    return undefined;
  }
}

function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
