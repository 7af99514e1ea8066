/** The picture of a code: the first 64 bits of each unit as four rows of squares. */

import { bitPicture } from './bit-picture.js';
import { t } from './language.js';

const BITS_PER_UNIT = 64;

/** @param units bits of each unit, as strings of 0 and 1 */
export function glyph(units: readonly string[], label = t('The bits of the code')): SVGSVGElement[] {
  const bits = units.map((unit) => unit.slice(0, BITS_PER_UNIT)).join('');
  if (bits === '') return [];
  const picture = bitPicture(bits, label);
  picture.classList.add('glyph');
  return [picture];
}
