/** One unit as a tile: its name, a verdict, its bits as a picture, and its text. */

import { bitPicture, difference } from './bit-picture.js';
import { bar, copyButton, element } from './dom.js';
import { t } from './language.js';
import { type UnitBits, unitBits } from './unit.js';
import { unitName } from './unit-names.js';

/** A unit alone. */
export function unitItem(type: string, bits: string, code: string): HTMLLIElement {
  const { name } = namesOf(type);
  return element(
    'li',
    {},
    heading(type),
    bitPicture(bits, t('{0}, {1} bits', name, bits.length)),
    element('span', { class: 'hint' }, t('{0} bits', bits.length)),
    element('code', {}, code),
    copyButton(code, t('the {0}', name)),
  );
}

/** Two units of one type, and how similar they are. */
export interface Compared {
  /** E.g. `CONTENT_TEXT_V0`. */
  readonly type: string;
  /** 0 to 1. */
  readonly share: number;
  /** In words, e.g. `98.4 %`. */
  readonly verdict: string;
  /** The bits of both, if they are known. */
  readonly bits?: readonly [string, string] | undefined;
}

export function comparedItem({ type, share, verdict, bits }: Compared): HTMLLIElement {
  const { name } = namesOf(type);
  return element(
    'li',
    {},
    heading(type),
    element('span', { class: 'percent' }, verdict),
    bar(share, `${name}: ${verdict}`),
    ...(bits === undefined ? [] : picture(name, ...bits)),
  );
}

/** How many bits differ, e.g. `3 of 64 bits differ`. */
export function differenceText(a: string, b: string): string {
  const { differing, common } = difference(a, b);
  return t('{0} of {1} bits differ', differing, common);
}

function picture(name: string, a: string, b: string): Node[] {
  const text = differenceText(a, b);
  return [
    element('span', { class: 'hint' }, text),
    bitPicture(b.slice(0, difference(a, b).common), `${name}: ${text}`, a),
  ];
}

function heading(type: string): HTMLElement {
  const { name, meaning } = namesOf(type);
  return element('div', {}, element('strong', {}, name), element('span', { class: 'hint' }, meaning));
}

/** Names of a type such as `CONTENT_TEXT_V0` or `CONTENT-TEXT-V0`. */
export function namesOf(type: string) {
  const [main = '', sub = ''] = type.split(/[-_]/);
  return unitName(main, sub);
}

/** A list of tiles for units. */
export function unitList(items: readonly HTMLLIElement[], label: string): HTMLUListElement {
  return element('ul', { class: 'units', 'aria-label': label }, ...items);
}

/** A list of the units whose bits the page can decode. */
export function unitsOf(codes: readonly string[]): HTMLUListElement {
  const items = codes.flatMap((code) => {
    const unit = unitBits(code);
    return unit === undefined ? [] : [unitItem(unit.type, unit.bits, code)];
  });
  return unitList(items, t('ISCC-UNITs'));
}

/** The bits of units; those that the page cannot decode are left out. */
export function bitsOf(codes: readonly string[] = []): UnitBits[] {
  return codes.map(unitBits).filter((unit) => unit !== undefined);
}
