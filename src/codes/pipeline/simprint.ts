/** Simprints of plain text. */
import { native } from '../../native.js';
import { Refused } from '../errors.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** One 256-bit simprint per chunk, base64url. */
export function textSimprints(text: string): Promise<string[]> {
  // It has no UTF-8 form: whatever code it got, the text could not be stored or sent.
  if (LONE_SURROGATE.test(text)) throw new Refused('SIMPRINT_FAILED');
  return native.simprints(Buffer.from(text));
}
