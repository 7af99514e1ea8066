/** Calls to the addon with the types and error codes of this room. */
import { isUtf8 } from 'node:buffer';
import { composeCode } from '../../../iscc/codec.js';
import { isNativeError, native } from '../../../native.js';
import { CodesRefusal } from '../errors.js';
import type { Mode } from '../result.js';
import type { Compat } from './jobs.js';

/** How many bytes of a file are enough to detect its media type. */
export const HEAD_BYTES = 16 * 1024;

export interface MediaType {
  readonly mediatype: string;
  /** Absent if no ISCC mode covers the type. */
  readonly mode?: Mode;
}

/**
 * Detects the media type from the file name and the first {@link HEAD_BYTES}. The name wins if its type is supported;
 * the request's Content-Type is ignored.
 */
export function mediaTypeOf(filename: string, head: Uint8Array): MediaType {
  const { mediatype, mode } = native.inspect(filename, head);
  return mode === undefined || mode === null ? { mediatype } : { mediatype, mode: mode as Mode };
}

/** Composes units in any order into an ISCC-CODE. Two 256-bit units give a wide ISCC-SUM. */
export function composite(units: readonly string[]): string {
  return composeCode(units, true);
}

/**
 * Decomposes a code and returns its units and other forms as JSON.
 *
 * @throws {CodesRefusal} `ISCC_INVALID`
 */
export function explainJson(code: string, compat: Compat): string {
  try {
    return native.explainJson(code, compat);
  } catch (error) {
    if (!isNativeError(error, 'INVALID_ARGUMENT')) throw error;
    throw new CodesRefusal('ISCC_INVALID', { reason: error.message });
  }
}

/**
 * One 256-bit simprint in base64url per content-defined chunk of a UTF-8 text.
 *
 * @throws {CodesRefusal} `TEXT_NOT_UNICODE` if the text is not valid UTF-8
 */
export function textSimprints(text: Uint8Array): Promise<string[]> {
  // Escaped lone surrogates in JSON have no UTF-8 form.
  if (!isUtf8(text)) throw new CodesRefusal('TEXT_NOT_UNICODE');
  return native.simprints(text);
}
