/**
 * Encodes and decodes single codes: ISO 24138, and headers of ISCC-UNITs. For many codes at a time, see `decodeCodes` of
 * the addon.
 *
 * Lists of codes cross to the addon as joined text, and bytes in a reused array: creating a list or an object there
 * takes longer than the work itself.
 */
import { native } from '../native.js';

/** The parts of a code. */
export interface DecodedCode {
  /** MainType, SubType and version, as numbered in the header. */
  readonly main: number;
  readonly sub: number;
  readonly version: number;
  /** Bits of the body. */
  readonly bits: number;
  /** The digest. For an ISCC-CODE, the digests of its units, concatenated. */
  readonly body: Uint8Array;
}

/** The longest body: an ISCC-CODE of five units. */
const BODY_BYTES_MAX = 40;
const scratch = new Uint8Array(BODY_BYTES_MAX);

/**
 * Splits a code in any accepted form into header fields and body.
 *
 * @throws {NativeError} INVALID_ARGUMENT if it is not a code; the message can follow "Invalid ISCC - "
 */
export function decodeCode(code: string): DecodedCode {
  const fields = native.decodeCodeInto(code, scratch);
  const bytes = fields >>> 12;
  return {
    main: fields & 15,
    sub: (fields >>> 4) & 15,
    version: (fields >>> 8) & 15,
    bits: 8 * bytes,
    body: scratch.slice(0, bytes),
  };
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
  return native.encodeUnit(main, sub, version, bits, digest);
}

/**
 * The units of a code in body order, without `ISCC:`. A single unit returns itself.
 *
 * @throws {NativeError} INVALID_ARGUMENT if it is not a code
 */
export function decomposeCode(code: string): string[] {
  return native.decomposeCode(code).split('\n');
}

/**
 * The ISCC-CODE of two to five units in any order. `wide` keeps 128 bits each of Data- and Instance-Code if there are no
 * other units.
 *
 * @throws {NativeError} INVALID_ARGUMENT if the units cannot be combined
 */
export function composeCode(units: readonly string[], wide = false): string {
  return native.composeCode(units.join('\n'), wide);
}
