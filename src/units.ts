/**
 * ISCC-UNITs of data in memory, for programs that embed this package: text, bytes, metadata and prepared pixels. They
 * run on the threads of the addon. Inputs must not change until the promise is settled.
 *
 * All of them reject with a `NativeError` whose code is `INVALID_ARGUMENT` if an argument breaks a rule.
 */
import { type MetaCode, type MetaInput, native, type TextCode } from './native.js';

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

/** Data-Code of bytes. */
export function dataCode(bytes: Uint8Array, bits: number = BITS_DEFAULT): Promise<string> {
  return native.dataCode(bytes, bits);
}

/** Instance-Code of bytes. */
export function instanceCode(bytes: Uint8Array, bits: number = BITS_DEFAULT): Promise<string> {
  return native.instanceCode(bytes, bits);
}

/** Text for display: NFKC, no control characters, at most one empty line in a row. */
export function textClean(text: Uint8Array | string): Promise<string> {
  return native.textClean(text);
}

/** Text for comparison: lower case, without whitespace, marks, punctuation and control characters. */
export function textCollapse(text: Uint8Array | string): Promise<string> {
  return native.textCollapse(text);
}
