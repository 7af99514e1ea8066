/** Metrics of the indexes. */
import { gauge, type Metric, type Sample } from '../observe/instruments.js';

/** At most this many indexes get their own label, in name order, because clients can create any number. */
export const INDEXES_SHOWN_MAX = 200;
/** Label for all other indexes. It is not a valid index name. */
export const OTHER_INDEXES = '(others)';

const BYTES_PER_MIB = 1024 ** 2;

/** The part of an index's description that becomes a metric. */
interface IndexSize {
  readonly name: string;
  readonly assets: number;
  /** MiB by unit type and other parts; only for stored indexes. */
  readonly sizes?: Readonly<Record<string, number>>;
}

/** @param list returns the response of `GET /indexes` */
export function searchMetrics(list: () => Promise<Buffer>): Metric[] {
  const read = async () => shown(JSON.parse((await list()).toString()) as IndexSize[]);
  return [
    gauge('isccd_search_index_assets', 'Assets per index', ['index'], async () =>
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

/** All indexes, or the first {@link INDEXES_SHOWN_MAX} and the sum of the rest. */
export function shown(indexes: readonly IndexSize[]): readonly IndexSize[] {
  if (indexes.length <= INDEXES_SHOWN_MAX) return indexes;
  const others = indexes.slice(INDEXES_SHOWN_MAX);
  const assets = others.reduce((sum, index) => sum + index.assets, 0);
  const sizes: Record<string, number> = {};
  for (const index of others)
    for (const [part, mib] of Object.entries(index.sizes ?? {})) sizes[part] = (sizes[part] ?? 0) + mib;
  return [...indexes.slice(0, INDEXES_SHOWN_MAX), { name: OTHER_INDEXES, assets, sizes }];
}
