/**
 * Codes put together and taken apart (ISO 24138, and ISCC-UNIT headers), for one code at a time; see `decodeCodes` of
 * the addon for many. Texts cross to the addon joined, bytes in arrays that are there already: a list or an object
 * made there costs more than the work.
 */
import { native } from './native.js';

/** What a code consists of. */
export interface DecodedCode {
  /** MainType, SubType and version, as the numbers in the header. */
  readonly main: number;
  readonly sub: number;
  readonly version: number;
  /** Bits of the body. */
  readonly bits: number;
  /** The digest; of an ISCC-CODE, the digests of its units one after another. */
  readonly body: Uint8Array;
}

/** The longest body: an ISCC-CODE of five units. */
const BODY_BYTES_MAX = 40;
const scratch = new Uint8Array(BODY_BYTES_MAX);

/**
 * Takes a code in any accepted form apart into header fields and body.
 *
 * @throws {Error} for what is no code; the message follows on "Invalid ISCC - "
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
 * A unit of the numbers in its header, with the first `bits` of a digest.
 *
 * @throws {Error} for numbers that no unit has, or a digest that is too short
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
 * The units of a code in body order, without `ISCC:`. A single unit is its own.
 *
 * @throws {Error} for what is no code
 */
export function decomposeCode(code: string): string[] {
  return native.decomposeCode(code).split('\n');
}

/**
 * The ISCC-CODE of two to five units in any order. `wide` keeps 128 bits of Data and of Instance where there is
 * nothing else.
 *
 * @throws {Error} for units that don't go together
 */
export function composeCode(units: readonly string[], wide = false): string {
  return native.composeCode(units.join('\n'), wide);
}
