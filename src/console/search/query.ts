/** Parses pasted text into a query: codes, or a JSON result of the codes service. */
import { t } from '../language.js';
import { unitBits } from '../unit.js';
import type { Query } from './api.js';
import { isIsccId } from './iscc-id.js';

/** Of a refused code in a message. */
const SHOWN_CHARS = 40;

/**
 * A single code that is not a unit becomes `iscc_id` or `iscc_code`; other text becomes a list of units; JSON must have
 * `units`, `iscc`, `iscc_code` or `iscc_id`.
 *
 * @throws with a message for the user if the text contains no query
 */
export function parseQuery(text: string): Query {
  if (text.trim().startsWith('{')) return fromJson(text);
  const codes = text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(normalized);
  const [first] = codes;
  if (first === undefined) throw new Error(t('Paste a code first.'));
  if (codes.length === 1 && unitBits(first) === undefined) return single(first);
  if (codes.some(isIsccId)) throw new Error(t('Search for one ISCC-ID at a time.'));
  return { units: codes };
}

function single(code: string): Query {
  return isIsccId(code) ? { iscc_id: code } : { iscc_code: code };
}

/** Adds a missing prefix. Codes may be in lower case. */
function normalized(code: string): string {
  const text = code.replace(/^iscc:/i, '').toUpperCase();
  if (/^[A-Z2-7]{16,}$/.test(text)) return `ISCC:${text}`;
  throw new Error(
    t('“{0}” is not a code. Codes have at least 16 letters and digits, after “ISCC:”.', shortened(code)),
  );
}

function shortened(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`;
}

function fromJson(text: string): Query {
  const { units, iscc_id: id, iscc = id, iscc_code: code = iscc } = object(text);
  if (Array.isArray(units)) return { units: units.map(String) };
  if (typeof code === 'string') return single(code);
  throw new Error(t('The JSON has neither "units" nor "iscc".'));
}

function object(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error(t('This is not valid JSON. Paste a complete result, or codes.'));
  }
}
