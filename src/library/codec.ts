/** The codec as the package exports it: the functions of `src/iscc/codec.ts` with checks of their arguments. */
import { invalid, isUint8Array } from '../client/arguments.js';
import * as codec from '../iscc/codec.js';
import { checkCodes, checkInteger, checkString } from './arguments.js';

/** Largest MainType, SubType and version: a header has four bits for each. */
const FIELD_MAX = 15;
const BITS_MAX = 256;

/**
 * Splits a code in any accepted form into header fields and body.
 *
 * @throws {NativeError} INVALID_ARGUMENT if it is not a code
 */
export function decodeCode(code: string): codec.DecodedCode {
  checkString('code', code);
  return codec.decodeCode(code);
}

/**
 * The unit with these header fields and the first `bits` of a digest.
 *
 * @throws {NativeError} INVALID_ARGUMENT if no unit has these fields, or the digest is too short
 */
export function encodeUnit(
  main: number,
  sub: number,
  version: number,
  bits: number,
  digest: Uint8Array,
): string {
  checkInteger('main', main, FIELD_MAX);
  checkInteger('sub', sub, FIELD_MAX);
  checkInteger('version', version, FIELD_MAX);
  checkInteger('bits', bits, BITS_MAX);
  if (!isUint8Array(digest)) throw invalid('digest', 'a Uint8Array', digest);
  return codec.encodeUnit(main, sub, version, bits, digest);
}

/**
 * The units of a code in body order, without `ISCC:`. A single unit returns itself.
 *
 * @throws {NativeError} INVALID_ARGUMENT if it is not a code
 */
export function decomposeCode(code: string): string[] {
  checkString('code', code);
  return codec.decomposeCode(code);
}

/**
 * The ISCC-CODE of two to five units in any order. `wide` keeps 128 bits each of Data- and Instance-Code if there are no
 * other units.
 *
 * @throws {NativeError} INVALID_ARGUMENT if the units cannot be combined
 */
export function composeCode(units: readonly string[], wide = false): string {
  checkCodes('units', units);
  if (typeof wide !== 'boolean') throw invalid('wide', 'true or false, or left out', wide);
  return codec.composeCode(units, wide);
}
