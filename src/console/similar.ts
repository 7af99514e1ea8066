/**
 * Files of the page that belong together, by the rule of `isccd scan` with its defaults: equal bytes, or Content-Codes that
 * differ in at most 32 of 256 bits. Data-Codes count only for files without a Content-Code.
 */
import { difference } from './bit-picture.js';
import type { Result } from './codes-client.js';
import { counted, element, nameElement, percent } from './dom.js';
import { t } from './language.js';
import { bitsOf } from './unit-item.js';

const DISTANCE_MAX = 32;

/** A file with its result. */
export interface CodedFile {
  readonly name: string;
  readonly result: Result;
}

/** A file of a group. */
export interface Member {
  /** Number of the file in the list. */
  readonly file: number;
  /** To the closest other file of its group. */
  readonly closeness: Closeness;
}

interface Closeness {
  /** 0 to 1. */
  readonly share: number;
  readonly hasEqualBytes: boolean;
}

/** Groups of at least two files, in the order of their first files. */
export function similarFiles(files: readonly CodedFile[]): readonly (readonly Member[])[] {
  const compared = files.map(({ result }) => ({ datahash: result.datahash, unit: comparedUnit(result) }));
  const closest = new Map<number, Closeness>();
  const groups = files.map((_, at) => [at]);
  for (const [a, one] of compared.entries()) {
    for (let b = a + 1; b < compared.length; b += 1) {
      const closeness = closenessOf(one, compared[b]);
      if (closeness === undefined) continue;
      for (const file of [a, b])
        if (closeness.share > (closest.get(file)?.share ?? -1) || closeness.hasEqualBytes)
          closest.set(file, closeness);
      join(groups, a, b);
    }
  }
  return [...new Set(groups)]
    .filter(({ length }) => length > 1)
    .map((group) =>
      [...group]
        .sort((a, b) => a - b)
        .flatMap((file) => {
          const closeness = closest.get(file);
          return closeness === undefined ? [] : [{ file, closeness }];
        }),
    );
}

/** Makes one group of those of two files. */
function join(groups: number[][], a: number, b: number): void {
  const [one, other] = [groups[a], groups[b]];
  if (one === undefined || other === undefined || one === other) return;
  one.push(...other);
  for (const file of other) groups[file] = one;
}

interface Compared {
  readonly datahash: unknown;
  readonly unit: ReturnType<typeof comparedUnit>;
}

function comparedUnit({ units = [] }: Result) {
  const all = bitsOf(units);
  return ['CONTENT', 'DATA']
    .map((main) => all.find(({ type }) => type.startsWith(main)))
    .find((unit) => unit !== undefined);
}

function closenessOf(one: Compared, other: Compared | undefined): Closeness | undefined {
  const hasEqualBytes = one.datahash !== undefined && one.datahash === other?.datahash;
  if (hasEqualBytes) return { share: 1, hasEqualBytes };
  if (one.unit === undefined || one.unit.type !== other?.unit?.type) return undefined;
  const { differing, common } = difference(one.unit.bits, other.unit.bits);
  if (differing * 256 > DISTANCE_MAX * common) return undefined;
  return { share: 1 - differing / common, hasEqualBytes };
}

/** For tables of spreadsheets: `equal bytes` or a share. */
export function closenessText({ share, hasEqualBytes }: Closeness): string {
  return hasEqualBytes ? 'equal bytes' : percent(share);
}

/** A table of the groups. */
export function similarTable(files: readonly CodedFile[]): HTMLElement | undefined {
  const groups = similarFiles(files);
  if (groups.length === 0) return undefined;
  const bodies = groups.map((group, at) =>
    element(
      'tbody',
      {},
      element(
        'tr',
        {},
        element('th', { colspan: '2', scope: 'rowgroup' }, t('Group {0}: {1} files', at + 1, group.length)),
      ),
      ...group.map(({ file, closeness }) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, nameElement(files[file]?.name ?? '')),
          element('td', {}, closeness.hasEqualBytes ? t('equal bytes') : closenessText(closeness)),
        ),
      ),
    ),
  );
  const title = t('{0} of similar files', counted(groups.length, 'group', 'groups'));
  const head = element(
    'thead',
    {},
    element(
      'tr',
      {},
      element('th', { scope: 'col' }, t('File')),
      element('th', { scope: 'col' }, t('Closest')),
    ),
  );
  return element(
    'details',
    { open: '' },
    element('summary', {}, title),
    element(
      'div',
      { class: 'table', tabindex: '0', role: 'group', 'aria-label': title },
      element('table', {}, head, ...bodies),
    ),
  );
}
