/** Limits the size of embedded metadata, so that responses stay small. */
import type { ContentFacts, EmbeddedMetadata } from '../result.js';

/**
 * Bytes per field. Well above legitimate use: the largest `meta` of a Meta-Code fits as a Data-URL, and so do the names
 * of five thousand authors.
 */
export const FIELD_BYTES_MAX = 192 * 1024;

/** Fields that are cut. The others are dropped, because a cut URL or Data-URL would be wrong. */
const CUT: ReadonlySet<string> = new Set(['name', 'description', 'creator', 'credit', 'rights', 'keywords']);

/** Cuts or drops fields above {@link FIELD_BYTES_MAX}. */
export function limitedMetadata(metadata: EmbeddedMetadata): EmbeddedMetadata {
  const fields = Object.entries(metadata).map(([field, value]) => [field, limited(field, value)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Drops an overlong language. */
export function limitedFacts({ language, ...facts }: ContentFacts): ContentFacts {
  const kept = limited('language', language);
  return { ...facts, ...(kept === undefined ? {} : { language: kept }) };
}

function limited(field: string, value: string | undefined): string | undefined {
  if (value === undefined || Buffer.byteLength(value) <= FIELD_BYTES_MAX) return value;
  if (!CUT.has(field)) return undefined;
  const prefix = Buffer.from(value.slice(0, FIELD_BYTES_MAX)).subarray(0, FIELD_BYTES_MAX);
  // In stream mode the decoder omits an incomplete last character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(prefix, { stream: true });
}
