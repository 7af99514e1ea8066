/** ISCC codes without a server. Functions have the names and results of the package `isccd`; they run in the calling thread. */
import { Engine } from './engine.js';
import { WasmError } from './failure.js';
import { SumHasher } from './sum-hasher.js';

const BITS_DEFAULT = 64;

export interface MetaInput {
  readonly name: string;
  readonly description?: string;
  /** Further metadata as a Data-URL in Base64. */
  readonly meta?: string;
  /** Further metadata as the text of a JSON object. Excludes `meta`. */
  readonly metaJson?: string;
}

export interface MetaCode {
  readonly iscc: string;
  readonly name: string;
  readonly description?: string;
  readonly meta?: string;
  readonly metahash: string;
}

export interface UnitExplanation {
  readonly iscc_unit: string;
  readonly readable: string;
  readonly hash_hex: string;
  readonly hash_uint: string;
  readonly hash_bits: string;
  readonly featureless?: true;
}

export interface Explanation {
  readonly iscc: string;
  readonly readable: string;
  readonly multiformat: string;
  readonly decomposed: string;
  readonly units: readonly UnitExplanation[];
}

export interface UnitComparison {
  readonly kind: string;
  readonly bits: number;
  readonly distance: number;
  readonly similarity: number;
  readonly featureless?: true;
}

export interface DecodedCode {
  readonly main: number;
  readonly sub: number;
  readonly version: number;
  readonly bits: number;
  readonly body: Uint8Array;
}

/** What is known of a file by its name and first bytes. */
export interface InspectedFile {
  readonly mediatype: string;
  readonly mode: 'text' | 'image' | 'audio' | 'video' | null;
}

export type FileMetadata = Readonly<Record<string, string>>;

export interface TextFile {
  /** Text-Code of 256 bits. */
  readonly unit: string;
  readonly characters: number;
  readonly simprints: readonly string[];
  /** Start of each simprint's passage in the cleaned text, in UTF-8 bytes. */
  readonly offsets: readonly number[];
  /** Length of each passage in UTF-8 bytes. */
  readonly sizes: readonly number[];
  readonly metadata: FileMetadata;
}

export interface PictureFile {
  /** Image-Code of 256 bits. */
  readonly unit: string;
  readonly width: number;
  readonly height: number;
  readonly metadata: FileMetadata;
}

/** All functions throw a `WasmError`. */
export class Codes {
  readonly #engine: Engine;

  constructor(module: WebAssembly.Module) {
    this.#engine = new Engine(module);
  }

  /** A code in all its forms, with its units. */
  explain(code: string): Explanation {
    return this.#engine.call({ call: 'explain', code });
  }

  /** The canonical form of a code. */
  normalize(code: string): string {
    return this.#engine.call({ call: 'normalize', code });
  }

  /** Header fields and body of a code. */
  decodeCode(code: string): DecodedCode {
    const decoded = this.#engine.call<Omit<DecodedCode, 'body'> & { body: number[] }>({
      call: 'decode',
      code,
    });
    return { ...decoded, body: Uint8Array.from(decoded.body) };
  }

  /** The units of a code in body order, without `ISCC:`. */
  decompose(code: string): string[] {
    return this.#engine.call({ call: 'decompose', code });
  }

  /** The ISCC-CODE of two to five units in any order. `wide` keeps 128 bits each of Data- and Instance-Code. */
  isccCode(units: readonly string[], { wide = false }: { readonly wide?: boolean } = {}): string {
    return this.#engine.call({ call: 'compose', units, wide });
  }

  /** Similarity of the units that both codes have. */
  compare(a: string, b: string): UnitComparison[] {
    return this.#engine.call({ call: 'compare', a, b });
  }

  metaCode(input: MetaInput, bits: number = BITS_DEFAULT): MetaCode {
    for (const [name, value] of Object.entries(input)) checkText(name, value);
    return this.#engine.call({ call: 'metaCode', ...input, bits });
  }

  /** Text-Code of a text, which is not cleaned before. */
  textCode(text: Uint8Array | string, bits: number = BITS_DEFAULT): { iscc: string; characters: number } {
    return this.#engine.call({ call: 'textCode', bits }, utf8(text));
  }

  /** Text for display: NFKC, no control characters, at most one empty line in a row. */
  textClean(text: Uint8Array | string): string {
    return this.#engine.call({ call: 'textClean' }, utf8(text));
  }

  /** Text for comparison: lower case, without whitespace, marks, punctuation and control characters. */
  textCollapse(text: Uint8Array | string): string {
    return this.#engine.call({ call: 'textCollapse' }, utf8(text));
  }

  /** One simprint per chunk of a text, which is cleaned first. */
  simprints(text: Uint8Array | string): string[] {
    return this.#engine.call({ call: 'simprints' }, utf8(text));
  }

  /** Image-Code of 1024 grey values, 32 rows of 32. */
  imageCode(pixels: Uint8Array, bits: number = BITS_DEFAULT): string {
    return this.#engine.call({ call: 'imageCode', bits }, pixels);
  }

  /** Audio-Code of a raw Chromaprint fingerprint, in signed numbers. */
  audioCode(fingerprint: readonly number[], bits: number = BITS_DEFAULT): string {
    return this.#engine.call({ call: 'audioCode', fingerprint, bits });
  }

  /** Video-Code of MPEG-7 frame signatures of 380 integers each. */
  videoCode(frames: readonly (readonly number[])[], bits: number = BITS_DEFAULT): string {
    return this.#engine.call({ call: 'videoCode', frames: frames.flat(), bits });
  }

  mixedCode(codes: readonly string[], bits: number = BITS_DEFAULT): string {
    return this.#engine.call({ call: 'mixedCode', codes, bits });
  }

  /** A hasher for Data- and Instance-Code. */
  sumHasher(): SumHasher {
    return new SumHasher(this.#engine);
  }

  dataCode(bytes: Uint8Array, bits: number = BITS_DEFAULT): string {
    return this.#sum(bytes, bits)[0];
  }

  instanceCode(bytes: Uint8Array, bits: number = BITS_DEFAULT): string {
    return this.#sum(bytes, bits)[1];
  }

  /** Media type and mode of a file by its name and first bytes, of which 16 KiB count. */
  inspect(name: string, head: Uint8Array): InspectedFile {
    return this.#engine.call({ call: 'inspect', name }, head);
  }

  /** Text-Code, simprints and metadata of a text document of the given media type. `NO_DECODER` for PDF. */
  textFile(file: Uint8Array, mediatype: string): TextFile {
    return this.#engine.call({ call: 'textFile', mediatype }, file);
  }

  /** Image-Code and metadata of a JPEG, PNG, GIF, WebP, BMP, TIFF or PSD file; `NO_DECODER` for other pictures. */
  pictureFile(file: Uint8Array): PictureFile {
    return this.#engine.call({ call: 'picture' }, file);
  }

  #sum(bytes: Uint8Array, bits: number): readonly [string, string] {
    const hasher = this.sumHasher();
    hasher.update(bytes);
    return hasher.finish({ bits }).units;
  }
}

function utf8(text: Uint8Array | string): Uint8Array {
  if (typeof text !== 'string') return text;
  checkText('text', text);
  return new TextEncoder().encode(text);
}

/** The encoder would replace a lone surrogate, and so change the code. */
function checkText(name: string, text: string): void {
  const at = text.search(/\p{Surrogate}/u);
  if (at >= 0)
    throw new WasmError(
      'INVALID_ARGUMENT',
      `${name}: lone surrogate at position ${at}; use whole characters`,
    );
}
