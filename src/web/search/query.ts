/** From what people paste to a query: codes, or a result of the codes service. */
import { unitBits } from '../unit.js';
import type { Query } from './api.js';

/**
 * One code that is no unit is a code, anything else is a list of units; JSON brings its own fields.
 *
 * @throws with words for the user if there is nothing to search for
 */
export function parseQuery(text: string): Query {
  if (text.trim().startsWith('{')) return fromJson(text);
  const codes = text.split(/[\s,;]+/).filter(Boolean);
  const [first] = codes;
  if (first === undefined) throw new Error('Paste a code first.');
  return codes.length === 1 && unitBits(first) === undefined ? { iscc_code: first } : { units: codes };
}

function fromJson(text: string): Query {
  const { units, iscc, iscc_code: code = iscc } = object(text);
  if (Array.isArray(units)) return { units: units.map(String) };
  if (typeof code === 'string') return { iscc_code: code };
  throw new Error('The JSON has neither "units" nor "iscc".');
}

function object(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error('This begins like JSON and is none. Paste a whole result, or codes.');
  }
}
