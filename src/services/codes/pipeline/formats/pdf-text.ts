/** Extracts the text of a PDF page by page. */
import { type PdfDocument, PdfUnreadable } from '../tools/pdfium.js';

const PAGES_MAX = 20_000;
const TEXT_MAX_CHARACTERS = 20_000_000;

/** Pages joined by a line feed. */
export function documentText(document: PdfDocument): string {
  const { pages } = document;
  if (pages > PAGES_MAX)
    throw new PdfUnreadable(`the document has ${pages} pages, more than ${PAGES_MAX}`, 'FILE_TOO_LARGE');
  const texts: string[] = [];
  let characters = 0;
  for (let index = 0; index < pages; index += 1) {
    const text = document.pageText(index);
    characters += text.length;
    if (characters > TEXT_MAX_CHARACTERS) {
      throw new PdfUnreadable(`the text has more than ${TEXT_MAX_CHARACTERS} characters`, 'FILE_TOO_LARGE');
    }
    texts.push(text);
  }
  return texts.join('\n');
}
