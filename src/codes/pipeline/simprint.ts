/** Simprints of plain text. */
import { isUtf8 } from 'node:buffer';
import { native } from '../../native.js';
import { Refused } from '../errors.js';

/** One 256-bit simprint per chunk of a text in UTF-8, base64url. */
export function textSimprints(text: Uint8Array): Promise<string[]> {
  // A lone surrogate has no UTF-8 form: whatever code it got, the text could not be stored or sent.
  if (!isUtf8(text)) throw new Refused('SIMPRINT_FAILED');
  return native.simprints(text);
}
