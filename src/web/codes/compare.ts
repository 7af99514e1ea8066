/** Compares the units of two codes. */
import { bitPicture, difference } from '../bit-picture.js';
import { bar, element, legend } from '../dom.js';
import { unitName } from '../unit-names.js';
import type { Unit } from './api.js';

export interface Comparison {
  readonly nodes: readonly Node[];
  /** The result as text, for screen readers. */
  readonly summary: string;
}

/** @throws if no two units have the same type */
export function comparison(a: readonly Unit[], b: readonly Unit[]): Comparison {
  const pairs = a.flatMap((unit) => {
    const other = b.find((candidate) => kind(candidate) === kind(unit));
    return other ? [{ unit, other }] : [];
  });
  if (pairs.length === 0) throw new Error('The codes have no unit of the same type.');
  const rows = pairs.map(({ unit, other }) => compared(unit, other));
  const list = element('ul', { class: 'units' }, ...rows.map(({ item }) => item));
  return { nodes: [list, legend()], summary: rows.map(({ text }) => text).join('; ') };
}

/** Units are comparable if MainType, SubType and version are equal. */
function kind(unit: Unit): string {
  return unit.readable.split('-').slice(0, 3).join('-');
}

function compared(unit: Unit, other: Unit) {
  const [main = '', sub = ''] = unit.readable.split('-');
  const { name, meaning } = unitName(main, sub);
  const { differing, common } = difference(unit.hash_bits, other.hash_bits);
  const share = 1 - differing / common;
  // Instance-Codes are cryptographic hashes: they are equal or different, never similar.
  const isExact = main === 'INSTANCE';
  const verdict = isExact ? (differing === 0 ? 'equal' : 'different') : `${(share * 100).toFixed(1)} %`;
  const detail = `${differing} of ${common} bits differ`;
  const text = `${name}: ${verdict}, ${detail}`;
  const item = element(
    'li',
    {},
    element('div', {}, element('h3', {}, name), element('span', { class: 'hint' }, meaning)),
    element('span', { class: 'percent' }, verdict),
    bar(isExact ? Number(differing === 0) : share, `${name}: ${verdict}`),
    element('span', { class: 'hint' }, detail),
    bitPicture(unit.hash_bits.slice(0, common), text, other.hash_bits),
  );
  return { item, text };
}
