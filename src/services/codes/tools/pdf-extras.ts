/** What a PDF has beside the text of its pages: notes, links, bookmarks and attached files, read with PDFium (WebAssembly). */
import type { FormMemory } from './pdf-forms.js';

type Write = (buffer: number, bytes: number) => number;

/** The functions of PDFium that read these. */
export interface ExtrasExports {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFAnnot_GetStringValue(annotation: number, key: number, buffer: number, bytes: number): number;
  _FPDFAnnot_GetLink(annotation: number): number;
  _FPDFLink_GetAction(link: number): number;
  _FPDFAction_GetURIPath(document: number, action: number, buffer: number, bytes: number): number;
  _FPDFBookmark_GetFirstChild(document: number, bookmark: number): number;
  _FPDFBookmark_GetNextSibling(document: number, bookmark: number): number;
  _FPDFBookmark_GetTitle(bookmark: number, buffer: number, bytes: number): number;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFDoc_GetAttachment(document: number, index: number): number;
  _FPDFAttachment_GetFile(attachment: number, buffer: number, bytes: number, length: number): number;
}

const UTF16_BYTES = 2;
const LINK = 2;
/** Notes, marks, drawings, stamps and files (`FPDF_ANNOT_…`). */
const MARKUP: ReadonlySet<number> = new Set([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18]);
/** Author, subject and text. */
const MARKUP_KEYS = ['T', 'Subj', 'Contents'];
const ANNOTATIONS_MAX = 100_000;
const BOOKMARKS_MAX = 100_000;
const TEXT_BYTES_MAX = 1 << 20;
const FILES_MAX = 100;
const FILES_BYTES_MAX = 64 << 20;
const LENGTH_BYTES = 4;

export class PdfExtras {
  readonly #pdfium: ExtrasExports;
  readonly #memory: FormMemory;
  readonly #document: number;
  #left = ANNOTATIONS_MAX;

  constructor(pdfium: ExtrasExports, memory: FormMemory, document: number) {
    this.#pdfium = pdfium;
    this.#memory = memory;
    this.#document = document;
  }

  /** Notes of a page and the addresses of its links, in the order of its annotations. */
  notes(page: number): string[] {
    const count = Math.min(this.#pdfium._FPDFPage_GetAnnotCount(page), this.#left);
    this.#left -= Math.max(count, 0);
    const notes: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const annotation = this.#pdfium._FPDFPage_GetAnnot(page, index);
      if (annotation === 0) continue;
      notes.push(...this.#noted(annotation));
      this.#pdfium._FPDFPage_CloseAnnot(annotation);
    }
    return notes;
  }

  /** Titles of the outline, each before those below it. */
  bookmarks(): string[] {
    const titles: string[] = [];
    const seen = new Set<number>();
    const waiting = [this.#pdfium._FPDFBookmark_GetFirstChild(this.#document, 0)];
    for (
      let next = waiting.pop();
      next !== undefined && titles.length < BOOKMARKS_MAX;
      next = waiting.pop()
    ) {
      const bookmark = next;
      // A damaged outline can be a circle.
      if (bookmark === 0 || seen.has(bookmark)) continue;
      seen.add(bookmark);
      titles.push(
        this.#wide((buffer, bytes) => this.#pdfium._FPDFBookmark_GetTitle(bookmark, buffer, bytes)),
      );
      waiting.push(this.#pdfium._FPDFBookmark_GetNextSibling(this.#document, bookmark));
      waiting.push(this.#pdfium._FPDFBookmark_GetFirstChild(this.#document, bookmark));
    }
    return titles;
  }

  /** The files that are attached to the document, as far as they fit into the limits. */
  files(): Uint8Array[] {
    const count = Math.min(this.#pdfium._FPDFDoc_GetAttachmentCount(this.#document), FILES_MAX);
    const files: Uint8Array[] = [];
    let left = FILES_BYTES_MAX;
    for (let index = 0; index < count; index += 1) {
      const attachment = this.#pdfium._FPDFDoc_GetAttachment(this.#document, index);
      const file = attachment === 0 ? undefined : this.#file(attachment, left);
      if (file === undefined) continue;
      left -= file.length;
      files.push(file);
    }
    return files;
  }

  #noted(annotation: number): string[] {
    const subtype = this.#pdfium._FPDFAnnot_GetSubtype(annotation);
    if (subtype === LINK) return nonEmpty([this.#address(annotation)]);
    if (!MARKUP.has(subtype)) return [];
    return nonEmpty(MARKUP_KEYS.map((key) => this.#string(annotation, key)));
  }

  #address(annotation: number): string {
    const link = this.#pdfium._FPDFAnnot_GetLink(annotation);
    const action = link === 0 ? 0 : this.#pdfium._FPDFLink_GetAction(link);
    if (action === 0) return '';
    const write: Write = (buffer, bytes) =>
      this.#pdfium._FPDFAction_GetURIPath(this.#document, action, buffer, bytes);
    return this.#written(write, (buffer, bytes) =>
      Buffer.from(this.#pdfium.HEAPU8.subarray(buffer, buffer + bytes - 1)).toString(),
    );
  }

  #string(annotation: number, key: string): string {
    const name = Buffer.from(`${key}\0`, 'latin1');
    return this.#memory.lend(name.length, (at) => {
      this.#pdfium.HEAPU8.set(name, at);
      return this.#wide((buffer, bytes) =>
        this.#pdfium._FPDFAnnot_GetStringValue(annotation, at, buffer, bytes),
      );
    });
  }

  #wide(write: Write): string {
    return this.#written(write, (buffer, bytes) => this.#memory.text(buffer, bytes / UTF16_BYTES - 1));
  }

  /** What a function writes into a buffer. It returns the bytes it needs, with a terminating NUL. */
  #written(write: Write, read: (buffer: number, bytes: number) => string): string {
    const bytes = write(0, 0);
    if (bytes <= 1 || bytes > TEXT_BYTES_MAX) return '';
    return this.#memory.lend(bytes, (buffer) => {
      write(buffer, bytes);
      return read(buffer, bytes);
    });
  }

  #file(attachment: number, bytesMax: number): Uint8Array | undefined {
    return this.#memory.lend(LENGTH_BYTES, (length) => {
      const isFile = this.#pdfium._FPDFAttachment_GetFile(attachment, 0, 0, length) !== 0;
      const bytes = new DataView(this.#pdfium.HEAPU8.buffer).getUint32(length, true);
      if (!isFile || bytes === 0 || bytes > bytesMax) return undefined;
      return this.#memory.lend(bytes, (buffer) => {
        this.#pdfium._FPDFAttachment_GetFile(attachment, buffer, bytes, length);
        return this.#pdfium.HEAPU8.slice(buffer, buffer + bytes);
      });
    });
  }
}

function nonEmpty(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== '');
}
