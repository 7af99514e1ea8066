/** Bits of every entry of a result's `units`; the ISCC-CODE takes 64 of each. */
export const UNIT_BITS = 256;
