/** Extracts the text of a PDF page by page. */
import { type PdfDocument, type PdfPage, PdfUnreadable } from '../../tools/pdfium.js';

const PAGES_MAX = 20_000;
const TEXT_MAX_CHARACTERS = 20_000_000;

/** Texts of a document, not normalised. */
export interface PdfTexts {
  /** As the reference reads it: pages joined by a line feed. Empty for scans and drawings. */
  readonly text: string;
  /** The same with the text of turned pages that is beside their box. */
  readonly pages: string;
  /** Values of form fields, one per line. */
  readonly values: string;
}

/** Pages as the reference reads them, joined by a line feed. */
export function documentText(document: PdfDocument): string {
  const budget = new Budget();
  return [...pagesOf(document, (page) => budget.spent(page.text()))].join('\n');
}

/** A PDF in another document. */
export interface EmbeddedPdf {
  readonly text: string;
  /** Files that are attached to it, whose texts follow its own. */
  readonly files: readonly Uint8Array[];
}

/**
 * A PDF in another document, as the reference reads these, by other means than PDFs of their own: all text of the pages, also
 * outside of their boxes, with notes and links, then the titles of the outline.
 */
export function embeddedPdf(document: PdfDocument): EmbeddedPdf {
  const budget = new Budget();
  const extras = document.extras();
  const pages = pagesOf(document, (page) => [page.wholeText(), ...page.notes(extras)]);
  const lines = [...pages, extras.bookmarks()].flatMap((texts) => texts.map((text) => budget.spent(text)));
  return { text: lines.join('\n'), files: extras.files() };
}

/** The text of all pages, as the reference reads it and whole, and the values of the form. */
export function documentTexts(document: PdfDocument): PdfTexts {
  const budget = new Budget();
  return document.withForm((form) => {
    const texts = pagesOf(document, (page) => ({
      text: budget.spent(page.text()),
      turned: page.turnedText(),
      values: form === undefined ? [] : page.values(form).map((value) => budget.spent(value)),
    }));
    const read = [...texts];
    return {
      text: read.map(({ text }) => text).join('\n'),
      pages: read.map(({ text, turned }) => budget.spent(turned ?? '') || text).join('\n'),
      values: read.flatMap(({ values }) => values).join('\n'),
    };
  });
}

/** The result of `read` for each page. */
function* pagesOf<T>(document: PdfDocument, read: (page: PdfPage) => T): Generator<T> {
  const { pages } = document;
  if (pages > PAGES_MAX)
    throw new PdfUnreadable(`the document has ${pages} pages, more than ${PAGES_MAX}`, 'FILE_TOO_LARGE');
  for (let index = 0; index < pages; index += 1) yield document.withPage(index, read);
}

/** Limits the characters of a document. */
class Budget {
  #characters = 0;

  spent(text: string): string {
    this.#characters += text.length;
    if (this.#characters > TEXT_MAX_CHARACTERS) {
      throw new PdfUnreadable(`the text has more than ${TEXT_MAX_CHARACTERS} characters`, 'FILE_TOO_LARGE');
    }
    return text;
  }
}
