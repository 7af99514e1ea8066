/** ISCC-IDs as text: their form and order. Does not import the addon, so schemas and clients can use it. */

/**
 * `ISCC:` and 80 bits in base32. The `M` is MainType ID with a SubType (realm) below 8. Hubs write different
 * lengths into the rest of the header, so it is not checked: see {@link canonicalIsccId}.
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

/** Microseconds since 1970 are the first 52 of the 64 bits after the header of 16. */
const HEADER_BITS = 16n;
const ID_BITS = 80n;
const HUB_BITS = 12n;

/** When an ISCC-ID was issued. */
export function isccIdTime(isccId: string): Date {
  const body = bitsOf(isccId) & ((1n << (ID_BITS - HEADER_BITS)) - 1n);
  return new Date(Number((body >> HUB_BITS) / 1000n));
}

/**
 * The ISCC-ID with the length in its header that the standard requires, 0. Indexes accept no other, so that an asset has
 * one name.
 */
export function canonicalIsccId(isccId: string): string {
  // The third character has two bits of the version and three of the length, the fourth one more and the body's first.
  const masked = (at: number, mask: number) =>
    BASE32_ALPHABET[BASE32_ALPHABET.indexOf(isccId[at] ?? '') & mask] ?? '';
  const third = 'ISCC:MA'.length;
  return `${isccId.slice(0, third)}${masked(third, 0b11000)}${masked(third + 1, 0b01111)}${isccId.slice(third + 2)}`;
}

function bitsOf(isccId: string): bigint {
  let bits = 0n;
  for (const letter of isccId.slice('ISCC:'.length))
    bits = bits * 32n + BigInt(BASE32_ALPHABET.indexOf(letter));
  return bits;
}

/** MainType ID and version 1. */
const HEADER = 0x6010n;
const REALM_STEP = 0x100n;

/** The ISCC-ID with a body of 64 bits, in realm 0 (test) or 1 (main). */
export function isccIdOf(realm: number, body: bigint): string {
  const bits = ((HEADER + REALM_STEP * BigInt(realm)) << (ID_BITS - HEADER_BITS)) | body;
  let text = '';
  for (let shift = ID_BITS - 5n; shift >= 0n; shift -= 5n)
    text += BASE32_ALPHABET[Number((bits >> shift) & 31n)] ?? '';
  return `ISCC:${text}`;
}

/** The 64 bits after the header. */
export function isccIdBody(isccId: string): bigint {
  return bitsOf(isccId) & ((1n << (ID_BITS - HEADER_BITS)) - 1n);
}
