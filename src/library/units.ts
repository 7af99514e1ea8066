/**
 * ISCC-UNITs of data in memory, for programs that embed this package: text, bytes, metadata and prepared pixels, sound and
 * frames; and codes made of units. They run on the threads of the addon. Inputs must not change until the promise is settled.
 *
 * All of them throw or reject with an error whose code is `INVALID_ARGUMENT` if an argument breaks a rule: a `NativeError`
 * of the addon, or an `InvalidArgument` of the checks before. Functions that return a promise only reject. `bits` is a
 * multiple of 32 from 32 to 256; the default is that of iscc-core.
 */
import { type Bytes, checkOptions, invalid, isObject } from '../client/arguments.js';
import {
  type Explanation,
  type MetaCode,
  type MetaInput,
  native,
  type TextCode,
  type UnitComparison,
} from '../native.js';
import {
  bytesOf,
  checkBits,
  checkCodes,
  checkString,
  checkText,
  fingerprintOf,
  framesOf,
  type Integers,
  pixelsOf,
} from './arguments.js';
import * as codec from './codec.js';

const BITS_DEFAULT = 64;

/** Meta-Code of a name with an optional description and further metadata. */
export async function metaCode(input: MetaInput, bits: number = BITS_DEFAULT): Promise<MetaCode> {
  if (!isObject(input)) throw invalid('input', 'an object with a name', input);
  checkString('name', input.name);
  checkOptions(input, { description: 'string', meta: 'string', metaJson: 'string' });
  checkBits(bits);
  return native.metaCode(input, bits);
}

/** Text-Code of a text, which is not cleaned before: see {@link textClean}. */
export async function textCode(text: Uint8Array | string, bits: number = BITS_DEFAULT): Promise<TextCode> {
  checkText(text);
  checkBits(bits);
  return native.textCode(text, bits);
}

/** Image-Code of 1024 grey values from 0 to 255, 32 rows of 32. */
export function imageCode(pixels: Integers, bits: number = BITS_DEFAULT): string {
  checkBits(bits);
  return native.imageCode(pixelsOf(pixels), bits, '0.9.7');
}

/**
 * Audio-Code of a raw Chromaprint fingerprint: one 32-bit number per item, any number of items. Chromaprint's program
 * prints unsigned numbers, iscc-core takes signed ones; both give the same code.
 */
export async function audioCode(fingerprint: Integers, bits: number = BITS_DEFAULT): Promise<string> {
  checkBits(bits);
  return native.audioCode(fingerprintOf(fingerprint), bits);
}

/**
 * Video-Code of MPEG-7 frame signatures of 380 integers each: a list per frame, or all values one after the other. Repeated
 * frames count once.
 */
export async function videoCode(
  frames: Int32Array | readonly Integers[],
  bits: number = BITS_DEFAULT,
): Promise<string> {
  checkBits(bits);
  return native.videoCodeOfFrames(framesOf(frames), bits);
}

/** Mixed-Code of two or more Content-Codes of at least `bits` bits. */
export function mixedCode(codes: readonly string[], bits: number = BITS_DEFAULT): string {
  checkCodes('codes', codes);
  checkBits(bits);
  return native.mixedCode([...codes], bits);
}

/** Data-Code of bytes. A `Blob` is read into memory. */
export async function dataCode(bytes: Bytes, bits: number = BITS_DEFAULT): Promise<string> {
  checkBits(bits);
  return native.dataCode(await bytesOf(bytes), bits);
}

/** Instance-Code of bytes. A `Blob` is read into memory. */
export async function instanceCode(bytes: Bytes, bits: number = BITS_DEFAULT): Promise<string> {
  checkBits(bits);
  return native.instanceCode(await bytesOf(bytes), bits);
}

/**
 * ISCC-CODE of two to five units in any order; Data- and Instance-Code are required. `wide` keeps 128 bits of each if
 * there are no other units.
 */
export function isccCode(units: readonly string[], options: { readonly wide?: boolean } = {}): string {
  checkOptions(options, { wide: 'boolean' });
  return codec.composeCode(units, options.wide);
}

/** The units of a code in body order, without `ISCC:`; a unit returns itself. */
export function decompose(code: string): string[] {
  return codec.decomposeCode(code);
}

/**
 * Similarity of the units that both codes have. `featureless` marks a comparison of plain pictures or of
 * documents without text, which means nothing.
 */
export function compare(a: string, b: string): UnitComparison[] {
  checkString('first code', a);
  checkString('second code', b);
  return native.compareCodes(a, b);
}

/** A code in all its forms, with its units. */
export function explain(code: string): Explanation {
  checkString('code', code);
  return native.explain(code);
}

/** One 256-bit simprint in base64url per content-defined chunk of a text; at least one. The text is cleaned first. */
export async function simprints(text: Uint8Array | string): Promise<string[]> {
  checkText(text);
  return native.simprints(text);
}

/** Text for display: NFKC, no control characters, at most one empty line in a row. */
export async function textClean(text: Uint8Array | string): Promise<string> {
  checkText(text);
  return native.textClean(text);
}

/** Text for comparison: lower case, without whitespace, marks, punctuation and control characters. */
export async function textCollapse(text: Uint8Array | string): Promise<string> {
  checkText(text);
  return native.textCollapse(text);
}
