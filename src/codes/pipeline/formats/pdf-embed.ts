/** Writes metadata into the information dictionary of a PDF. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { PDFDict, PDFDocument, PDFHexString, PDFName } from 'pdf-lib';
import type { EmbeddedMetadata } from '../../result.js';
import { PdfUnreadable, withPdf } from '../tools/pdfium.js';
import type { FormatFile } from './format.js';
import { documentText } from './pdf-text.js';

/** Fields and the entries they are written to. `identifier` has no entry. */
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

/** Rewrites the file with new entries; pages and other entries are kept. Rejects encrypted files. */
export async function embedPdfMetadata(file: FormatFile, fields: EmbeddedMetadata): Promise<void> {
  const original = await readFile(file.path);
  const document = await load(original);
  const info = informationOf(document);
  for (const [field, entry] of ENTRIES) {
    const value = fields[field];
    if (value) info.set(PDFName.of(entry), PDFHexString.fromText(value));
  }
  const copy = await document.save();
  // pdf-lib rewrites every object; damage that readers tolerate may not survive that.
  if ((await withPdf(copy, documentText)) !== (await withPdf(original, documentText))) {
    throw new PdfUnreadable('the document is damaged: rewriting it would change its text');
  }
  const target = `${file.path}.embedding`;
  try {
    await writeFile(target, copy);
    await rename(target, file.path);
  } finally {
    await rm(target, { force: true });
  }
}

async function load(bytes: Uint8Array): Promise<PDFDocument> {
  const options = { updateMetadata: false, ignoreEncryption: true };
  const document = await PDFDocument.load(bytes, options).catch((cause: unknown) => {
    throw new PdfUnreadable('the document can not be parsed', 'FILE_DAMAGED', { cause });
  });
  // pdf-lib can't decrypt; a copy would be unreadable.
  if (document.isEncrypted) throw new PdfUnreadable('the document is encrypted', 'FILE_ENCRYPTED');
  return document;
}

function informationOf({ context }: PDFDocument): PDFDict {
  const info = context.lookup(context.trailerInfo.Info);
  if (info instanceof PDFDict) return info;
  const created = context.obj({});
  context.trailerInfo.Info = context.register(created);
  return created;
}
