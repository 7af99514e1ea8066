/** Plain text, markup and documents: text and properties by the addon. */
import { native } from '../../../native.js';
import type { FeatureSet } from '../../result.js';
import { semanticText } from '../semantic/text.js';
import { Stopwatch } from '../stopwatch.js';
import { thumbnailOfImage } from '../thumbnail.js';
import { type FileMetadata, ownMetadata } from './file-metadata.js';
import type { Format, FormatFile } from './format.js';
import { contentFeatures, withMeaning } from './text-content.js';

export const format: Format = {
  async content(file, { granular, compat, semantic }, watch = new Stopwatch()) {
    const keepText = semantic !== undefined;
    const [text, thumbnail] = await Promise.all([
      watch.measure('text', () =>
        native.textFileContent(file.path, file.mediatype, granular, keepText, compat),
      ),
      EPUB.has(file.mediatype) ? watch.measure('thumbnail', () => coverOf(file)) : undefined,
    ]);
    const clean = text.text;
    const meaning =
      semantic && clean && (await watch.measure('semantic', () => semanticText(semantic, clean)));
    const { metadata, language } = ownMetadata(text.metadata as FileMetadata);
    const { unit, characters } = text;
    return {
      unit,
      metadata,
      facts: { characters, ...(language === undefined ? {} : { language }) },
      ...withMeaning(meaning, granular ? featureSets(text) : undefined),
      ...(thumbnail === undefined ? {} : { thumbnail }),
    };
  },

  async metadata({ path, mediatype }) {
    return ownMetadata((await native.textMetadata(path, mediatype)) as FileMetadata).metadata;
  },

  async embed({ path, mediatype }, { name, description, creator, keywords }) {
    if (!EMBEDDABLE.has(mediatype)) throw new Error(`${mediatype} has no place for metadata`);
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

/** The cover of a book. A book whose cover can't be drawn is a book all the same. */
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
