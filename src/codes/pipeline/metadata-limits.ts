/** How much a file may say about itself: whichever program read it, an answer stays small. */
import type { ContentFacts, EmbeddedMetadata } from '../result.js';

/**
 * Bytes of a field. No honest file comes near: the largest `meta` that a Meta-Code takes fits as a Data-URL, and so do
 * the five thousand authors of a paper.
 */
export const FIELD_BYTES_MAX = 192 * 1024;

/** A beginning of these is of use; one of the others would be another address, or no Data-URL. */
const CUT: ReadonlySet<string> = new Set(['name', 'description', 'creator', 'credit', 'rights', 'keywords']);

/** Without what is beyond the limit: texts are cut, other fields left out. */
export function limitedMetadata(metadata: EmbeddedMetadata): EmbeddedMetadata {
  const fields = Object.entries(metadata).map(([field, value]) => [field, limited(field, value)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** A file states its language, too. */
export function limitedFacts({ language, ...facts }: ContentFacts): ContentFacts {
  const kept = limited('language', language);
  return { ...facts, ...(kept === undefined ? {} : { language: kept }) };
}

function limited(field: string, value: string | undefined): string | undefined {
  if (value === undefined || Buffer.byteLength(value) <= FIELD_BYTES_MAX) return value;
  if (!CUT.has(field)) return undefined;
  const beginning = Buffer.from(value.slice(0, FIELD_BYTES_MAX)).subarray(0, FIELD_BYTES_MAX);
  // Bytes of a character that the cut went through are held back.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(beginning, { stream: true });
}
