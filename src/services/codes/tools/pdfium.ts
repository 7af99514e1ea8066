/** Typed wrapper for the functions of PDFium (WebAssembly) that the pipeline uses. */
import { PDFiumModule } from '@hyzyla/pdfium';
import { FileError, type FileErrorCode } from './file-error.js';
import { type ExtrasExports, PdfExtras } from './pdf-extras.js';
import { type FormExports, type FormMemory, PdfForm } from './pdf-forms.js';

/** PDFium can't open or read this document. */
export class PdfUnreadable extends FileError {
  override readonly name = 'PdfUnreadable';

  constructor(message: string, code: FileErrorCode = 'FILE_DAMAGED', options?: ErrorOptions) {
    super(code, message, options);
  }
}

export interface RgbaImage {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

type Declared = Awaited<ReturnType<typeof PDFiumModule>>;

/** Exports missing in the package's types. */
interface Pdfium extends Declared, FormExports, ExtrasExports {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  _FPDF_GetMetaText(document: number, tag: number, buffer: number, bytes: number): number;
  _FPDF_GetPageBoundingBox(page: number, rectangle: number): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDFPage_GetCropBox(page: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFText_GetBoundedText(
    textPage: number,
    left: number,
    top: number,
    right: number,
    bottom: number,
    buffer: number,
    units: number,
  ): number;
}

const FORMAT_BGRA = 4;
const WHITE = 0xffffffff;
const RENDER_ANNOTATIONS = 0x01;
const RENDER_RED_FIRST = 0x10;
const RECTANGLE_BYTES = 16;
/** Its reader writes NUL as the two bytes of modified UTF-8, and reads each as an invalid one. ImageMagick ends titles with it. */
const NUL_OF_REFERENCE = '\ufffd\ufffd';
const UTF16_BYTES = 2;

const ERRORS: Readonly<Record<number, string>> = {
  2: 'the file can not be read',
  3: 'it is not a PDF document, or damaged',
  4: 'it needs a password',
  5: 'its encryption is not supported',
  6: 'a page can not be read',
};

/** Password missing, or unknown encryption. */
const ENCRYPTED: ReadonlySet<number> = new Set([4, 5]);

let library: Promise<Pdfium> | undefined;

/**
 * Opens a document, calls `work` and closes the document. All failures of PDFium are {@link PdfUnreadable}. After a
 * trap the state of its memory is unknown, so the next document gets a new instance.
 */
export async function withPdf<T>(bytes: Uint8Array, work: (document: PdfDocument) => T): Promise<T> {
  library ??= load();
  const pdfium = await library;
  try {
    const document = new PdfDocument(pdfium, bytes);
    try {
      return work(document);
    } finally {
      document.close();
    }
  } catch (error) {
    if (error instanceof PdfUnreadable) throw error;
    library = undefined;
    throw new PdfUnreadable(`PDFium failed: ${error}`, 'FILE_DAMAGED', { cause: error });
  }
}

async function load(): Promise<Pdfium> {
  const pdfium = (await PDFiumModule({})) as Pdfium;
  pdfium._FPDF_InitLibraryWithConfig({ version: 2 });
  return pdfium;
}

export class PdfDocument {
  readonly #pdfium: Pdfium;
  readonly #bytes: number;
  readonly #document: number;

  constructor(pdfium: Pdfium, bytes: Uint8Array) {
    this.#pdfium = pdfium;
    // PDFium reads from this memory until the document is closed.
    this.#bytes = this.#allocate(bytes.length);
    pdfium.HEAPU8.set(bytes, this.#bytes);
    this.#document = pdfium._FPDF_LoadMemDocument(this.#bytes, bytes.length, 0);
    if (this.#document === 0) {
      const error = pdfium._FPDF_GetLastError();
      this.#free(this.#bytes);
      const code = ENCRYPTED.has(error) ? 'FILE_ENCRYPTED' : 'FILE_DAMAGED';
      throw new PdfUnreadable(
        `the PDF document can not be opened: ${ERRORS[error] ?? 'unknown error'}`,
        code,
      );
    }
  }

  get pages(): number {
    return this.#pdfium._FPDF_GetPageCount(this.#document);
  }

  /** Calls `read` with a page. */
  withPage<T>(index: number, read: (page: PdfPage) => T): T {
    return this.#withPage(index, (page) => {
      const textPage = this.#pdfium._FPDFText_LoadPage(page);
      if (textPage === 0) throw new PdfUnreadable(`the text of page ${index + 1} can not be read`);
      try {
        return read({
          text: () => this.#boundedText(textPage, this.#box(page)),
          wholeText: () => this.#boundedText(textPage, EVERYWHERE),
          turnedText: () => this.#turnedText(page, textPage),
          notes: (extras) => extras.notes(page),
          values: (form) => form.values(page),
        });
      } finally {
        this.#pdfium._FPDFText_ClosePage(textPage);
      }
    });
  }

  /** Calls `work` with the form of the document, if it has one. */
  withForm<T>(work: (form: PdfForm | undefined) => T): T {
    return PdfForm.use(this.#pdfium, this.#memory, this.#document, work);
  }

  /** What the document has beside the text of its pages. */
  extras(): PdfExtras {
    return new PdfExtras(this.#pdfium, this.#memory, this.#document);
  }

  get #memory(): FormMemory {
    return {
      lend: (bytes, use) => this.#withMemory(bytes, use),
      text: (address, units) => this.#utf16(address, units),
    };
  }

  /** Renders the page on white at 72 dpi, or smaller if a side would exceed the limit. */
  renderPage(index: number, sideMaxPixels: number): RgbaImage {
    return this.#withPage(index, (page) => {
      const points = [this.#pdfium._FPDF_GetPageWidth(page), this.#pdfium._FPDF_GetPageHeight(page)] as const;
      const scale = Math.min(1, sideMaxPixels / Math.max(...points));
      const [width, height] = points.map((side) => Math.max(1, Math.ceil(side * scale))) as [number, number];
      return { bytes: this.#render(page, width, height), width, height };
    });
  }

  /** An entry of the information dictionary; empty if absent. A NUL is what iscc-sdk makes of it. */
  info(key: string): string {
    const tag = Buffer.from(`${key}\0`, 'latin1');
    return this.#withMemory(tag.length, (name) => {
      this.#pdfium.HEAPU8.set(tag, name);
      const bytes = this.#pdfium._FPDF_GetMetaText(this.#document, name, 0, 0);
      return this.#withMemory(bytes, (buffer) => {
        this.#pdfium._FPDF_GetMetaText(this.#document, name, buffer, bytes);
        // Without the terminating NUL.
        return this.#utf16(buffer, bytes / UTF16_BYTES - 1).replaceAll('\0', NUL_OF_REFERENCE);
      });
    });
  }

  close(): void {
    this.#pdfium._FPDF_CloseDocument(this.#document);
    this.#free(this.#bytes);
  }

  #withPage<T>(index: number, work: (page: number) => T): T {
    const page = this.#pdfium._FPDF_LoadPage(this.#document, index);
    if (page === 0) throw new PdfUnreadable(`page ${index + 1} can not be read`);
    try {
      return work(page);
    } finally {
      this.#pdfium._FPDF_ClosePage(page);
    }
  }

  /** See {@link PdfPage.turnedText}. */
  #turnedText(page: number, textPage: number): string | undefined {
    const isUpright = this.#pdfium._FPDFPage_GetRotation(page) % 2 === 0;
    if (isUpright || this.#isCropped(page)) return undefined;
    const { left, top, right, bottom } = this.#box(page);
    const side = Math.max(right - left, top - bottom);
    return this.#boundedText(textPage, { left, top: bottom + side, right: left + side, bottom });
  }

  #isCropped(page: number): boolean {
    return this.#withMemory(RECTANGLE_BYTES, (at) => {
      return this.#pdfium._FPDFPage_GetCropBox(page, at, at + 4, at + 8, at + 12) !== 0;
    });
  }

  #box(page: number): Box {
    return this.#withMemory(RECTANGLE_BYTES, (rectangle) => {
      if (this.#pdfium._FPDF_GetPageBoundingBox(page, rectangle) === 0) {
        throw new PdfUnreadable('a page has no bounding box');
      }
      const view = new DataView(this.#pdfium.HEAPU8.buffer, rectangle, RECTANGLE_BYTES);
      const side = (index: number) => view.getFloat32(4 * index, true);
      return { left: side(0), top: side(1), right: side(2), bottom: side(3) };
    });
  }

  #boundedText(textPage: number, box: Box): string {
    const text = (buffer: number, units: number) =>
      this.#pdfium._FPDFText_GetBoundedText(
        textPage,
        box.left,
        box.top,
        box.right,
        box.bottom,
        buffer,
        units,
      );
    const units = text(0, 0);
    if (units <= 0) return '';
    return this.#withMemory(units * UTF16_BYTES, (buffer) => {
      text(buffer, units);
      return this.#utf16(buffer, units);
    });
  }

  #render(page: number, width: number, height: number): Uint8Array {
    const stride = 4 * width;
    return this.#withMemory(stride * height, (pixels) => {
      const bitmap = this.#pdfium._FPDFBitmap_CreateEx(width, height, FORMAT_BGRA, pixels, stride);
      try {
        this.#pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
        const flags = RENDER_ANNOTATIONS | RENDER_RED_FIRST;
        this.#pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
        return this.#pdfium.HEAPU8.slice(pixels, pixels + stride * height);
      } finally {
        this.#pdfium._FPDFBitmap_Destroy(bitmap);
      }
    });
  }

  #utf16(address: number, units: number): string {
    if (units <= 0) return '';
    const bytes = this.#pdfium.HEAPU8.subarray(address, address + units * UTF16_BYTES);
    return Buffer.from(bytes).toString('utf16le').replace(LONE_SURROGATES, '');
  }

  #withMemory<T>(bytes: number, work: (address: number) => T): T {
    const address = this.#allocate(bytes);
    try {
      return work(address);
    } finally {
      this.#free(address);
    }
  }

  #allocate(bytes: number): number {
    const address = this.#pdfium.wasmExports.malloc(Math.max(bytes, 1));
    if (address === 0) throw new PdfUnreadable(`PDFium can not allocate ${bytes} bytes`, 'FILE_TOO_LARGE');
    return address;
  }

  #free(address: number): void {
    this.#pdfium.wasmExports.free(address);
  }
}

/** In points, with the origin at the bottom left. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Larger than any page. */
const EVERYWHERE: Box = { left: -1e6, top: 1e6, right: 1e6, bottom: -1e6 };

/** A page while it is open. */
export interface PdfPage {
  /** Text inside the page's visible box, with CR LF line ends and without lone surrogates. */
  text(): string;
  /** The same with text outside of that box. */
  wholeText(): string;
  /**
   * Text of a page that is turned by 90 or 270 degrees and not cropped, also beside its box: ReportLab and others turn
   * the box of a page, but not its content. `undefined` for other pages.
   */
  turnedText(): string | undefined;
  values(form: PdfForm): string[];
  notes(extras: PdfExtras): string[];
}

const LONE_SURROGATES = /\p{Surrogate}/gu;
