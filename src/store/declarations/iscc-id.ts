/** The ISCC-ID under which a hub keeps a declaration. */

/** 80 bits; `M` begins with the four bits of MainType ID. Hubs differ in the rest of the header. */
const PATTERN = /^ISCC:M[A-Z2-7]{15}$/;

/** Whether a value from a hub is an ISCC-ID in canonical form. */
export function isIsccId(value: unknown): value is string {
  return typeof value === 'string' && PATTERN.test(value);
}
