/**
 * ISCC-UNITs of data in memory, for programs that embed this package: text, bytes, metadata and prepared pixels, sound and
 * frames; and codes made of units. They run on the threads of the addon. Inputs must not change until the promise is settled.
 *
 * All of them throw or reject with a `NativeError` whose code is `INVALID_ARGUMENT` if an argument breaks a rule. `bits` is
 * a multiple of 32 from 32 to 256; the default is that of iscc-core.
 */
import {
  type Explanation,
  type MetaCode,
  type MetaInput,
  native,
  type TextCode,
  type UnitComparison,
} from './native.js';

const BITS_DEFAULT = 64;

/** Meta-Code of a name with an optional description and further metadata. `bits` is a multiple of 32 up to 256. */
export function metaCode(input: MetaInput, bits: number = BITS_DEFAULT): Promise<MetaCode> {
  return native.metaCode(input, bits);
}

/** Text-Code of a text, which is not cleaned before: see {@link textClean}. */
export function textCode(text: Uint8Array | string, bits: number = BITS_DEFAULT): Promise<TextCode> {
  return native.textCode(text, bits);
}

/** Image-Code of 1024 grey values, 32 rows of 32. */
export function imageCode(pixels: Uint8Array, bits: number = BITS_DEFAULT): string {
  return native.imageCode(pixels, bits, '0.9.7');
}

/** Audio-Code of a raw Chromaprint fingerprint: one signed 32-bit number per item, any number of items. */
export function audioCode(
  fingerprint: Int32Array | readonly number[],
  bits: number = BITS_DEFAULT,
): Promise<string> {
  return native.audioCode(Int32Array.from(fingerprint), bits);
}

/** Values of an MPEG-7 frame signature. */
const FRAME_VALUES = 380;

/**
 * Video-Code of MPEG-7 frame signatures of 380 values each: a list per frame, or all values one after the other. Repeated
 * frames count once.
 */
export async function videoCode(
  frames: Int32Array | readonly (readonly number[])[],
  bits: number = BITS_DEFAULT,
): Promise<string> {
  if (frames instanceof Int32Array) return native.videoCodeOfFrames(frames, bits);
  const wrong = frames.find(({ length }) => length !== FRAME_VALUES);
  if (wrong !== undefined) throw new RangeError(`a frame signature has 380 values, not ${wrong.length}`);
  return native.videoCodeOfFrames(Int32Array.from(frames.flat()), bits);
}

/** Mixed-Code of two or more Content-Codes of at least `bits` bits. */
export function mixedCode(codes: readonly string[], bits: number = BITS_DEFAULT): string {
  return native.mixedCode([...codes], bits);
}

/** Data-Code of bytes. */
export function dataCode(bytes: Uint8Array, bits: number = BITS_DEFAULT): Promise<string> {
  return native.dataCode(bytes, bits);
}

/** Instance-Code of bytes. */
export function instanceCode(bytes: Uint8Array, bits: number = BITS_DEFAULT): Promise<string> {
  return native.instanceCode(bytes, bits);
}

/**
 * ISCC-CODE of two to five units in any order; Data- and Instance-Code are required. `wide` keeps 128 bits of each if
 * there are no other units.
 */
export function isccCode(units: readonly string[], { wide = false }: { wide?: boolean } = {}): string {
  return native.composeCode(units.join('\n'), wide);
}

/** The units of a code in body order, without `ISCC:`; a unit returns itself. */
export function decompose(code: string): string[] {
  return native.decomposeCode(code).split('\n');
}

/**
 * Similarity of the units that both codes have. `featureless` marks a comparison of plain pictures, which means nothing.
 */
export function compare(a: string, b: string): UnitComparison[] {
  return native.compareCodes(a, b);
}

/** A code in all its forms, with its units. */
export function explain(code: string): Explanation {
  return native.explain(code);
}

/** One 256-bit simprint in base64url per content-defined chunk of a text; at least one. The text is cleaned first. */
export function simprints(text: Uint8Array | string): Promise<string[]> {
  return native.simprints(text);
}

/** Text for display: NFKC, no control characters, at most one empty line in a row. */
export function textClean(text: Uint8Array | string): Promise<string> {
  return native.textClean(text);
}

/** Text for comparison: lower case, without whitespace, marks, punctuation and control characters. */
export function textCollapse(text: Uint8Array | string): Promise<string> {
  return native.textCollapse(text);
}
