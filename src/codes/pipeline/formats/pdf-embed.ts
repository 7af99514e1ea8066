/** Writes into the information dictionary of a PDF. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { PDFDict, PDFDocument, PDFHexString, PDFName } from 'pdf-lib';
import type { EmbeddedMetadata } from '../../result.js';
import { PdfUnreadable, withPdf } from '../tools/pdfium.js';
import type { FormatFile } from './format.js';
import { documentText } from './pdf-text.js';

/** Each field and its entries; an identifier has none. */
const ENTRIES = [
  ['name', 'Title'],
  ['name', 'iscc_name'],
  ['description', 'Subject'],
  ['description', 'iscc_description'],
  ['meta', 'iscc_meta'],
  ['creator', 'Author'],
  ['license', 'iscc_license'],
  ['acquire', 'iscc_acquire'],
  ['credit', 'iscc_credit'],
  ['rights', 'iscc_rights'],
  ['keywords', 'Keywords'],
] as const satisfies readonly (readonly [keyof EmbeddedMetadata, string])[];

/** Replaces the file by one with these entries; the others and the pages stay. Rejects for an encrypted file. */
export async function embedPdfMetadata(file: FormatFile, fields: EmbeddedMetadata): Promise<void> {
  const original = await readFile(file.path);
  const document = await PDFDocument.load(original, { updateMetadata: false });
  const info = informationOf(document);
  for (const [field, entry] of ENTRIES) {
    const value = fields[field];
    if (value) info.set(PDFName.of(entry), PDFHexString.fromText(value));
  }
  const copy = await document.save();
  // Every object is written anew, and not all that readers forgive survives that.
  if ((await withPdf(copy, documentText)) !== (await withPdf(original, documentText))) {
    throw new PdfUnreadable('the document is damaged: a copy of it would have another text');
  }
  const target = `${file.path}.embedding`;
  try {
    await writeFile(target, copy);
    await rename(target, file.path);
  } finally {
    await rm(target, { force: true });
  }
}

function informationOf({ context }: PDFDocument): PDFDict {
  const info = context.lookup(context.trailerInfo.Info);
  if (info instanceof PDFDict) return info;
  const made = context.obj({});
  context.trailerInfo.Info = context.register(made);
  return made;
}
