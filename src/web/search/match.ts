/** Shows one match: its score, a bar per unit, and the bits that differ. */
import { bitPicture, difference } from '../bit-picture.js';
import { bar, copyButton, element, facts } from '../dom.js';
import type { UnitBits } from '../unit.js';
import { unitName } from '../unit-names.js';
import type { Match } from './api.js';

/** @param query units of the query. @param units units of the match, if known */
export function matchItem(
  match: Match,
  query: readonly UnitBits[],
  units: readonly UnitBits[],
): HTMLLIElement {
  const rows = Object.entries(match.types).map(([type, score]) => {
    const unit = query.find((candidate) => candidate.type === type);
    const other = units.find((candidate) => candidate.type === type);
    return unitItem(type, score, unit, other);
  });
  const score = `${(match.score * 100).toFixed(1)} %`;
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'match-head' },
      element('span', { class: 'percent' }, score),
      element('code', {}, match.iscc_id),
      copyButton(match.iscc_id, 'the ISCC-ID'),
    ),
    element('ul', { class: 'units', 'aria-label': `Units of ${match.iscc_id}` }, ...rows),
    ...metadata(match.metadata),
  );
}

function unitItem(
  type: string,
  score: number,
  unit: UnitBits | undefined,
  other: UnitBits | undefined,
): HTMLLIElement {
  const [main = '', sub = ''] = type.split('_');
  const { name, meaning } = unitName(main, sub);
  const percent = `${(score * 100).toFixed(1)} %`;
  return element(
    'li',
    {},
    element('div', {}, element('h3', {}, name), element('span', { class: 'hint' }, meaning)),
    element('span', {}, percent),
    bar(score, `${name}: ${percent}`),
    ...(unit && other ? picture(name, unit, other) : []),
  );
}

function picture(name: string, unit: UnitBits, other: UnitBits): Node[] {
  const { differing, common } = difference(unit.bits, other.bits);
  const text = `${differing} of ${common} bits differ`;
  return [
    element('span', { class: 'hint' }, text),
    bitPicture(other.bits.slice(0, common), `${name}: ${text}`, unit.bits),
  ];
}

/** Flat metadata as a list, nested metadata as JSON. */
function metadata(value: unknown): Node[] {
  if (value === null || value === undefined) return [];
  const entries = typeof value === 'object' ? Object.entries(value) : [];
  const isFlat = entries.length > 0 && entries.every(([, field]) => typeof field !== 'object');
  if (isFlat) return [facts(entries.map(([name, field]) => [name, String(field)] as const))];
  return [element('pre', {}, JSON.stringify(value, null, 2))];
}
