/** What the service tells about its indexes, beside what is counted of its requests. */
import { type Figure, gauge, type Sample } from '../observe/figures.js';
import type { Answer } from './service.js';

/** Indexes with a label of their own, in the order of their names; clients make as many as they like. */
export const INDEXES_SHOWN_MAX = 200;
/** Stands for all further ones. No index has such a name. */
export const OTHER_INDEXES = '(others)';

const BYTES_PER_MIB = 1024 ** 2;

/** The part of an index's description that is shown. */
interface IndexSize {
  readonly name: string;
  readonly assets: number;
  /** MiB by unit type and other parts; only of indexes that are stored. */
  readonly sizes?: Readonly<Record<string, number>>;
}

/** @param list gives the answer of `GET /indexes` */
export function searchFigures(list: () => Promise<Answer>): Figure[] {
  const read = async () => shown(JSON.parse((await list()).body.toString()) as IndexSize[]);
  return [
    gauge('isccd_search_index_assets', 'Assets of each index', ['index'], async () =>
      (await read()).map(({ name, assets }) => ({ labels: { index: name }, value: assets })),
    ),
    gauge(
      'isccd_search_index_bytes',
      'Size of each part of an index, in whole MiB',
      ['index', 'part'],
      async () => (await read()).flatMap(partSizes),
    ),
  ];
}

function partSizes({ name, sizes = {} }: IndexSize): Sample<'index' | 'part'>[] {
  return Object.entries(sizes).map(([part, mib]) => ({
    labels: { index: name, part },
    value: mib * BYTES_PER_MIB,
  }));
}

/** All indexes, or the first ones and the sum of the others. */
export function shown(indexes: readonly IndexSize[]): readonly IndexSize[] {
  if (indexes.length <= INDEXES_SHOWN_MAX) return indexes;
  const others = indexes.slice(INDEXES_SHOWN_MAX);
  const assets = others.reduce((sum, index) => sum + index.assets, 0);
  const sizes: Record<string, number> = {};
  for (const index of others)
    for (const [part, mib] of Object.entries(index.sizes ?? {})) sizes[part] = (sizes[part] ?? 0) + mib;
  return [...indexes.slice(0, INDEXES_SHOWN_MAX), { name: OTHER_INDEXES, assets, sizes }];
}
