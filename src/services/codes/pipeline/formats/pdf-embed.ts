/** Writes metadata into the information dictionary and the XMP packet of a PDF. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import {
  decodePDFRawStream,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFInvalidObject,
  PDFName,
  PDFRawStream,
  PDFRef,
} from 'pdf-lib';
import { native } from '../../../../native.js';
import { familyOf, isXmpList, type PlaceValue, placed } from '../../metadata/places.js';
import type { EmbeddedMetadata } from '../../result.js';
import { PdfUnreadable, withPdf } from '../../tools/pdfium.js';
import type { FormatFile } from './format.js';
import { documentText } from './pdf-text.js';

/**
 * Rewrites the file with new entries of the information dictionary and of its XMP packet; pages and other entries are
 * kept. Rejects encrypted files.
 */
export async function embedPdfMetadata(file: FormatFile, fields: EmbeddedMetadata): Promise<void> {
  const original = await readFile(file.path);
  const text = await withPdf(original, documentText);
  const document = await load(original);
  const all = placed(familyOf(file.mediatype)?.written, fields, isXmpList);
  if (all.length === 0) return;
  const info = informationOf(document);
  for (const [place, value] of all) {
    if (!isXmp(place)) info.set(PDFName.of(place), PDFHexString.fromText(value));
  }
  writePacket(
    document,
    all.filter(([place]) => isXmp(place)),
  );
  trimInvalidObjects(document);
  const copy = await document.save();
  // pdf-lib rewrites every object; damage that readers tolerate may not survive that.
  if ((await withPdf(copy, documentText)) !== text) {
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
  // PDFium has opened it without a password, so only changes are forbidden. A copy by pdf-lib, which can't decrypt,
  // would be unreadable.
  if (document.isEncrypted) throw new PdfUnreadable('the document is protected', 'FILE_PROTECTED');
  return document;
}

/**
 * Objects that pdf-lib can't parse, such as reportlab's free text annotations, are kept as bytes with the line break
 * before `endobj`. The writer adds one, so without this each copy would be longer than the last.
 */
function trimInvalidObjects({ context }: PDFDocument): void {
  for (const [reference, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFInvalidObject)) continue;
    const bytes = Buffer.alloc(object.sizeInBytes());
    object.copyBytesInto(bytes, 0);
    const end = bytes.findLastIndex((byte) => byte !== LINE_FEED && byte !== CARRIAGE_RETURN) + 1;
    context.assign(reference, PDFInvalidObject.of(Uint8Array.from(bytes.subarray(0, end))));
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

function isXmp(place: string): boolean {
  return place.includes(':');
}

function writePacket({ catalog, context }: PDFDocument, values: readonly PlaceValue[]): void {
  const old = catalog.lookup(PDFName.of('Metadata'));
  const packet = old instanceof PDFRawStream ? Buffer.from(decodePDFRawStream(old).decode()) : undefined;
  const written = native.writeXmp(packet, [...values]);
  if (packet?.equals(written)) return;
  const stream = context.stream(written, { Type: 'Metadata', Subtype: 'XML' });
  const reference = catalog.get(PDFName.of('Metadata'));
  if (reference instanceof PDFRef) context.assign(reference, stream);
  else catalog.set(PDFName.of('Metadata'), context.register(stream));
}

function informationOf({ context }: PDFDocument): PDFDict {
  const info = context.lookup(context.trailerInfo.Info);
  if (info instanceof PDFDict) return info;
  const created = context.obj({});
  context.trailerInfo.Info = context.register(created);
  return created;
}
