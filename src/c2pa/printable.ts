/** Which characters may stand in a manifest's id. */

/** Unicode categories Cc, Cf, Cs, Co, Cn, Zl, Zp, and Zs but for the blank. */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/u;

export function hasOnlyPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}
