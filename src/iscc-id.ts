/** ISCC-IDs as text: their form and order. Does not import the addon, so schemas and clients can use it. */

/**
 * `ISCC:` and 80 bits in base32. The `M` is MainType ID with a SubType (realm) below 8. Hubs write different
 * lengths into the rest of the header, so it is not checked.
 */
export const ISCC_ID_PATTERN = /^ISCC:M[A-Z2-7]{15}$/;

const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function isIsccId(value: unknown): value is string {
  return typeof value === 'string' && ISCC_ID_PATTERN.test(value);
}

/** Compares two ISCC-IDs by their bytes: within a realm, by time. As text, digits would sort before letters. */
export function compareIsccIds(a: string, b: string): number {
  for (let at = 0; at < a.length; at += 1) {
    if (a[at] !== b[at]) return BASE32_ALPHABET.indexOf(a[at] ?? '') - BASE32_ALPHABET.indexOf(b[at] ?? '');
  }
  return 0;
}
