/** Compares the units of two codes. */

import { difference } from '../bit-picture.js';
import { explain, type Unit } from '../codes-client.js';
import { announce, byId, legend, onSubmit, percent } from '../dom.js';
import { t } from '../language.js';
import { goToTab } from '../tabs.js';
import { comparedItem, differenceText, namesOf, unitList } from '../unit-item.js';

/** Fills the form of the comparison and runs it, or moves the focus to the code that is missing. */
export function compareWith(a: string, b = ''): void {
  goToTab('compare');
  byId('compare-a', HTMLInputElement).value = a;
  const second = byId('compare-b', HTMLInputElement);
  second.value = b;
  if (b === '') second.focus();
  else byId('compare', HTMLFormElement).requestSubmit();
}

export function compareForm(): void {
  const body = byId('compare-body', HTMLElement);
  onSubmit(byId('compare', HTMLFormElement), byId('compare-error', HTMLElement), async (data, signal) => {
    body.hidden = true;
    const [a, b] = await Promise.all([
      named(t('First code'), explain(String(data.get('a')))),
      named(t('Second code'), explain(String(data.get('b')))),
    ]);
    signal.throwIfAborted();
    announce(showComparison(body, a.units, b.units));
    body.hidden = false;
    body.scrollIntoView({ block: 'nearest' });
  });
}

/** Returns the result as text, for screen readers. @throws if no two units have the same type */
export function showComparison(
  body: HTMLElement,
  a: readonly ComparableUnit[],
  b: readonly ComparableUnit[],
): string {
  const pairs = a.flatMap((unit) => {
    const other = b.find((candidate) => kind(candidate) === kind(unit));
    return other ? [{ unit, other }] : [];
  });
  if (pairs.length === 0) throw new Error(t('The codes have no unit of the same type.'));
  const rows = pairs.map(({ unit, other }) => compared(unit, other));
  const list = unitList(
    rows.map(({ item }) => item),
    t('Compared units'),
  );
  body.replaceChildren(list, legend());
  return rows.map(({ text }) => text).join('; ');
}

/** A unit whose bits are known. */
export type ComparableUnit = Pick<Unit, 'readable' | 'hash_bits'>;

/** Units are comparable if MainType, SubType and version are equal. */
function kind(unit: ComparableUnit): string {
  return unit.readable.split('-').slice(0, 3).join('-');
}

function compared(unit: ComparableUnit, other: ComparableUnit) {
  const bits = [other.hash_bits, unit.hash_bits] as const;
  const { differing, common } = difference(...bits);
  const similarity = 1 - differing / common;
  // Instance-Codes are cryptographic hashes: they are equal or different, never similar.
  const isExact = unit.readable.startsWith('INSTANCE');
  const verdict = isExact ? (differing === 0 ? t('equal') : t('different')) : percent(similarity);
  const share = isExact ? Number(differing === 0) : similarity;
  const item = comparedItem({ type: kind(unit), share, verdict, bits });
  return { item, text: `${namesOf(kind(unit)).name}: ${verdict}, ${differenceText(...bits)}` };
}

/** Prefixes errors with the name of the field. */
function named<T>(field: string, work: Promise<T>): Promise<T> {
  return work.catch((error: Error) => {
    throw new Error(`${field}: ${error.message}`);
  });
}
