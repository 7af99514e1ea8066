/** Codes put together and taken apart. */
import { composeCode } from '../../codec.js';
import { native } from '../../native.js';
import { Refused } from '../errors.js';
import type { Compat } from './jobs.js';

/** The ISCC-CODE of units in any order; two units of 256 bits make a wide one. */
export function composite(units: readonly string[]): string {
  return composeCode(units, true);
}

/** Units and other forms of a code, as JSON; throws `ISCC_INVALID`. */
export function explainJson(code: string, compat: Compat): string {
  try {
    return native.explainJson(code, compat);
  } catch (error) {
    throw new Refused('ISCC_INVALID', { reason: error instanceof Error ? error.message : String(error) });
  }
}
