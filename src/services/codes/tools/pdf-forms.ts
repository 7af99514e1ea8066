/** Values of the fields of a PDF form, read with PDFium (WebAssembly). */

/** The functions of PDFium that read forms. */
export interface FormExports {
  readonly HEAPU8: Uint8Array;
  _FPDF_GetFormType(document: number): number;
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number;
  _FPDFDOC_ExitFormFillEnvironment(form: number): void;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetFlags(annotation: number): number;
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldFlags(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldName(form: number, annotation: number, buffer: number, bytes: number): number;
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, buffer: number, bytes: number): number;
}

/** Memory of PDFium. */
export interface FormMemory {
  /** Calls `work` with the address of that many bytes, and frees them. */
  lend<T>(bytes: number, work: (address: number) => T): T;
  /** The text of that many UTF-16 units. */
  text(address: number, units: number): string;
}

const NO_FORM = 0;
/** Version 2 of `FPDF_FORMFILLINFO`, and more bytes than it has. All its callbacks are null. */
const INFO_VERSION = 2;
const INFO_BYTES = 512;
const UTF16_BYTES = 2;

/** Combo boxes, list boxes and text fields; buttons have no text. */
const TYPES_WITH_TEXT: ReadonlySet<number> = new Set([4, 5, 6]);
const PASSWORD = 1 << 13;
const TEXT_FIELD = 6;
/** Invisible, hidden, or not shown on screen. */
const NOT_SHOWN = (1 << 0) | (1 << 1) | (1 << 5);
const ANNOTATIONS_MAX = 100_000;
const VALUE_BYTES_MAX = 16 << 20;

/** The form of a document. Each field has its value once, although several annotations may show it. */
export class PdfForm {
  readonly #pdfium: FormExports;
  readonly #memory: FormMemory;
  readonly #form: number;
  readonly #seen = new Set<string>();
  #left = ANNOTATIONS_MAX;

  private constructor(pdfium: FormExports, memory: FormMemory, form: number) {
    this.#pdfium = pdfium;
    this.#memory = memory;
    this.#form = form;
  }

  /** Calls `work` with the form of a document; `undefined` if it has none. */
  static use<T>(
    pdfium: FormExports,
    memory: FormMemory,
    document: number,
    work: (form: PdfForm | undefined) => T,
  ): T {
    if (pdfium._FPDF_GetFormType(document) === NO_FORM) return work(undefined);
    // PDFium uses this memory until the form is closed.
    return memory.lend(INFO_BYTES, (info) => {
      pdfium.HEAPU8.fill(0, info, info + INFO_BYTES);
      pdfium.HEAPU8[info] = INFO_VERSION;
      const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
      if (form === 0) return work(undefined);
      try {
        return work(new PdfForm(pdfium, memory, form));
      } finally {
        pdfium._FPDFDOC_ExitFormFillEnvironment(form);
      }
    });
  }

  /** Values of the visible fields of a page in the order of its annotations, without passwords. */
  values(page: number): string[] {
    const count = Math.min(this.#pdfium._FPDFPage_GetAnnotCount(page), this.#left);
    this.#left -= Math.max(count, 0);
    const values: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const annotation = this.#pdfium._FPDFPage_GetAnnot(page, index);
      if (annotation === 0) continue;
      const value = this.#value(annotation);
      this.#pdfium._FPDFPage_CloseAnnot(annotation);
      if (value !== '') values.push(value);
    }
    return values;
  }

  #value(annotation: number): string {
    const pdfium = this.#pdfium;
    const type = pdfium._FPDFAnnot_GetFormFieldType(this.#form, annotation);
    if (!TYPES_WITH_TEXT.has(type) || (pdfium._FPDFAnnot_GetFlags(annotation) & NOT_SHOWN) !== 0) return '';
    const isPassword =
      type === TEXT_FIELD && (pdfium._FPDFAnnot_GetFormFieldFlags(this.#form, annotation) & PASSWORD) !== 0;
    if (isPassword) return '';
    const name = this.#text((buffer, bytes) =>
      pdfium._FPDFAnnot_GetFormFieldName(this.#form, annotation, buffer, bytes),
    );
    if (this.#seen.has(name)) return '';
    this.#seen.add(name);
    return this.#text((buffer, bytes) =>
      pdfium._FPDFAnnot_GetFormFieldValue(this.#form, annotation, buffer, bytes),
    );
  }

  /** The text that a function writes into a buffer. It returns the bytes it needs, with a terminating NUL. */
  #text(write: (buffer: number, bytes: number) => number): string {
    const bytes = write(0, 0);
    if (bytes <= UTF16_BYTES || bytes > VALUE_BYTES_MAX) return '';
    return this.#memory.lend(bytes, (buffer) => {
      write(buffer, bytes);
      return this.#memory.text(buffer, bytes / UTF16_BYTES - 1);
    });
  }
}
