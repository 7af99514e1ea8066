/** Plain text, markup and office documents: the addon extracts the text and its properties. */
import { native } from '../../../../native.js';
import { familyOf, placed } from '../../metadata/places.js';
import type { FeatureSet } from '../../result.js';
import { PdfUnreadable, withPdf } from '../../tools/pdfium.js';
import { semanticText } from '../semantic/text.js';
import { Stopwatch } from '../stopwatch.js';
import { thumbnailOfImage } from '../thumbnail.js';
import type { Format } from './format.js';
import { type AddonMetadata, splitLanguage } from './metadata-fields.js';
import { embeddedPdf } from './pdf-text.js';
import { contentFeatures, withSemantics } from './text-content.js';

export const format: Format = {
  async content(file, watch = new Stopwatch()) {
    const { granular, compat, better, semantic } = file;
    const keepText = semantic !== undefined || file.keepText === true;
    const reading = { granular, keepText, compat, ...(better !== undefined && { better }) };
    const read = (pdfTexts?: string[]) =>
      native.textFileContent(file.path, file.mediatype, { ...reading, ...(pdfTexts && { pdfTexts }) });
    const text = await watch.measure('text', async () => {
      const first = await read();
      return first.pdfs === undefined ? first : read(await embeddedTexts(first.pdfs));
    });
    const { cover } = text;
    // A failing cover does not fail the book.
    const thumbnail =
      cover && (await watch.measure('thumbnail', () => thumbnailOfImage(cover).catch(() => undefined)));
    const coded = text.coded ?? text.text;
    const semantics =
      semantic && coded && (await watch.measure('semantic', () => semanticText(semantic, coded)));
    const { metadata, language } = splitLanguage(text.metadata as AddonMetadata);
    const { unit, characters } = text;
    return {
      unit,
      metadata,
      facts: { characters, ...(language === undefined ? {} : { language }) },
      ...withSemantics(semantics, granular ? featureSets(text) : undefined),
      ...(thumbnail === undefined ? {} : { thumbnail }),
      ...(file.keepText && { text: text.text?.toString() ?? '' }),
      ...(text.lacksCharacters && { notes: ['CHARACTERS_REPLACED'] }),
    };
  },

  async metadata({ path, mediatype }) {
    return splitLanguage((await native.textMetadata(path, mediatype)) as AddonMetadata).metadata;
  },

  async embed({ path, mediatype }, fields) {
    const places = familyOf(mediatype)?.written;
    await native.embedDocument(path, mediatype, placed(places, fields, LISTS.has.bind(LISTS)));
  },
};

/** Levels of PDFs attached to PDFs. */
const ATTACHED_LEVELS_MAX = 4;

/** The texts of PDFs in a document, with those of the files attached to them. One that can't be read has no text. */
async function embeddedTexts(pdfs: readonly Uint8Array[], levels = ATTACHED_LEVELS_MAX): Promise<string[]> {
  const texts: string[] = [];
  for (const pdf of pdfs) {
    try {
      const { text, files } = await withPdf(pdf, embeddedPdf);
      const parts = [text];
      for (const file of levels > 0 ? files : []) parts.push(...(await attachedTexts(file, levels - 1)));
      texts.push(parts.join('\n'));
    } catch (error) {
      if (!(error instanceof PdfUnreadable)) throw error;
      texts.push('');
    }
  }
  return texts;
}

function attachedTexts(file: Uint8Array, levels: number): Promise<string[]> {
  const isPdf = Buffer.from(file.subarray(0, PDF_MARK.length)).toString('latin1') === PDF_MARK;
  return isPdf ? embeddedTexts([file], levels) : native.embeddedText(file).then((text) => [text]);
}

const PDF_MARK = '%PDF-';

/** Elements that hold one keyword each. */
const LISTS: ReadonlySet<string> = new Set(['meta:keyword', 'dc:subject']);

interface Simprints {
  readonly simprints?: readonly string[];
  readonly offsets?: readonly number[];
  readonly sizes?: readonly number[];
}

function featureSets({ simprints = [], offsets = [], sizes = [] }: Simprints): FeatureSet[] {
  return simprints.length === 0 ? [] : [contentFeatures({ simprints, offsets, sizes })];
}
