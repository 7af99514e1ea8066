/** Fields of CSV tables, for exports of the store and of the command. */

/** What a spreadsheet takes for the start of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A field as RFC 4180 writes it; empty for `null` and `undefined`. An apostrophe precedes texts that a spreadsheet would
 * take for a formula; numbers stay as they are.
 */
export function csvField(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
