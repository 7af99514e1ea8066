/** Metrics of the indexes and of the engine. */
import { gauge, type Metric, type Sample, total } from '../../platform/observe/instruments.js';
import type { EngineProblem } from './engine/port.js';

/** At most this many indexes get their own label, in name order, because clients can create any number. */
export const INDEXES_SHOWN_MAX = 200;
/** Label for all other indexes. It is not a valid index name. */
export const OTHER_INDEXES = '(others)';

/** The part of an index's description that becomes a metric. */
interface IndexSize {
  readonly name: string;
  readonly assets: number;
  readonly state?: 'loading' | 'damaged';
  readonly progress?: number;
}

/** Counts of a stored index. */
interface IndexCounts {
  readonly name: string;
  /** Sizes by part. */
  readonly bytes: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly rowsMapped: number;
  readonly heapBytes: number;
  /** Assets that a start loads or marks as dead, because they changed since the files were written. */
  readonly journal: number;
  readonly seals: number;
  readonly sealsBytes: number;
  readonly sealsSeconds: number;
  readonly merges: number;
  readonly mergesBytes: number;
  readonly mergesSeconds: number;
  readonly dead: number;
  readonly segments: number;
  readonly listSegments: number;
  readonly graphSegments: number;
  readonly waitingSegments: number;
  readonly sealedSegments: number;
  readonly sealedBytes: number;
  readonly graphs: number;
  readonly commits: number;
  readonly syncSeconds: number;
  readonly changedAssets: number;
  readonly waiting: number;
}

interface QueueCounts {
  readonly waiting: number;
  readonly pushed: number;
  readonly refused: number;
}

/** What `SearchEngine.metrics` returns. */
interface EngineCounts {
  readonly searches: QueueCounts;
  readonly changes: QueueCounts;
  readonly inlineSearches: number;
  readonly rowsScanned: number;
  readonly earlyEnds: number;
  /** Searches of a column with one unit, by method. */
  readonly probes: Readonly<Record<string, number>>;
  readonly indexes: readonly IndexCounts[];
}

/** Where the metrics come from. */
export interface MetricSources {
  /** The response of `GET /indexes`. */
  list(): Promise<Buffer>;
  /** The counts of the engine, as JSON. */
  counts(): Buffer;
  /** Names of the indexes whose last write failed. */
  failing(): readonly string[];
}

export function searchMetrics(sources: MetricSources): Metric[] {
  const all = async () => JSON.parse((await sources.list()).toString()) as IndexSize[];
  const counts = oncePerTurn(() => JSON.parse(sources.counts().toString()) as EngineCounts);
  return [
    ...sizeMetrics(all, counts),
    failingMetric(sources),
    ...indexMetrics(counts),
    ...fileMetrics(counts),
    ...engineMetrics(counts),
  ];
}

/** One reading for all metrics of a scrape, which are read in the same turn of the event loop. */
function oncePerTurn<T>(read: () => T): () => T {
  let last: { readonly value: T } | undefined;
  return () => {
    if (last === undefined) {
      last = { value: read() };
      setImmediate(() => {
        last = undefined;
      });
    }
    return last.value;
  };
}

function sizeMetrics(all: () => Promise<IndexSize[]>, counts: () => EngineCounts): Metric[] {
  const read = async () => shown(await all());
  return [
    gauge('isccd_search_index_assets', 'Assets per index', ['index'], async () =>
      (await read()).map(({ name, assets }) => ({ labels: { index: name }, value: assets })),
    ),
    gauge('isccd_search_index_bytes', 'Size of each part of an index', ['index', 'part'], () =>
      partSizes(counts().indexes),
    ),
    gauge('isccd_search_indexes', 'Indexes by state', ['state'], async () => {
      const indexes = await all();
      return (['ready', 'loading', 'damaged'] as const).map((state) => ({
        labels: { state },
        value: indexes.filter((index) => (index.state ?? 'ready') === state).length,
      }));
    }),
    gauge(
      'isccd_search_load_progress',
      'Share of the check and of the loading of an index that is done',
      ['index'],
      async () =>
        (await all())
          .filter(({ state }) => state !== 'damaged')
          .slice(0, INDEXES_SHOWN_MAX)
          .map(({ name, progress = 1 }) => ({ labels: { index: name }, value: progress })),
    ),
  ];
}

function failingMetric(sources: MetricSources): Metric {
  return gauge(
    'isccd_search_indexes_failing',
    'Indexes whose last write failed; /readyz names them',
    [],
    () => [{ labels: {}, value: sources.failing().length }],
  );
}

/** For engines whose indexes are in a database. */
export function databaseMetric(problem: () => EngineProblem | undefined): Metric {
  return gauge(
    'isccd_search_database_unavailable',
    'Whether the database of the indexes is unreachable: 1 or 0',
    [],
    () => [{ labels: {}, value: problem() === undefined ? 0 : 1 }],
  );
}

function indexMetrics(counts: () => EngineCounts): Metric[] {
  const of = (value: (index: IndexCounts) => number) => () => summed(counts().indexes, value);
  return [
    gauge(
      'isccd_search_index_rows',
      'Rows of units and simprints, also dead ones',
      ['index'],
      of(({ rows }) => rows),
    ),
    gauge(
      'isccd_search_index_dead_assets',
      'Replaced and deleted assets whose rows are not removed yet',
      ['index'],
      of(({ dead }) => dead),
    ),
    gauge(
      'isccd_search_index_segments',
      'Segments, by how they are searched; one with lists may also have a graph',
      ['index', 'kind'],
      () => {
        const { indexes } = counts();
        const kinds = {
          lists: (index: IndexCounts) => index.listSegments,
          graph: (index: IndexCounts) => index.graphSegments,
          scan: scanned,
          waiting: (index: IndexCounts) => index.waitingSegments,
        };
        return Object.entries(kinds).flatMap(([kind, value]) =>
          summed(indexes, value).map(({ labels: { index }, value }) => ({ labels: { index, kind }, value })),
        );
      },
    ),
    gauge(
      'isccd_search_index_sealed_segments',
      'Segments in files, which a start does not load again',
      ['index'],
      of(({ sealedSegments }) => sealedSegments),
    ),
    gauge(
      'isccd_search_index_sealed_bytes',
      'Size of these files',
      ['index'],
      of(({ sealedBytes }) => sealedBytes),
    ),
    gauge(
      'isccd_search_index_changes_waiting',
      'Changes that wait for the running commit',
      ['index'],
      of(({ waiting }) => waiting),
    ),
    total(
      'isccd_search_commits_total',
      'Commits, each of all changes that waited',
      ['index'],
      of(({ commits }) => commits),
    ),
    total(
      'isccd_search_committed_assets_total',
      'Assets in the changes; divided by the commits, the size of a batch',
      ['index'],
      of(({ changedAssets }) => changedAssets),
    ),
    total(
      'isccd_search_commit_seconds_total',
      'Time of the commits, mostly to sync the disk',
      ['index'],
      of(({ syncSeconds }) => syncSeconds),
    ),
  ];
}

/** A value of each index for each value of a second label. */
function labelled<L extends string>(
  counts: () => EngineCounts,
  label: L,
  kinds: Record<string, (index: IndexCounts) => number>,
): Sample<'index' | L>[] {
  return Object.entries(kinds).flatMap(([kind, value]) =>
    summed(counts().indexes, value).map(({ labels: { index }, value }) => ({
      labels: { index, [label]: kind } as Sample<'index' | L>['labels'],
      value,
    })),
  );
}

/** What is in files and in heap memory, and how it got there. */
function fileMetrics(counts: () => EngineCounts): Metric[] {
  const of = (value: (index: IndexCounts) => number) => () => summed(counts().indexes, value);
  return [
    gauge(
      'isccd_search_index_memory_rows',
      'Rows in heap memory and in mapped files',
      ['index', 'memory'],
      () =>
        labelled(counts, 'memory', {
          heap: ({ rows, rowsMapped }) => rows - rowsMapped,
          mapped: ({ rowsMapped }) => rowsMapped,
        }),
    ),
    gauge(
      'isccd_search_index_memory_bytes',
      'Size of rows, lists and graphs in heap memory and in mapped files; the page cache has the used part of the latter',
      ['index', 'memory'],
      () =>
        labelled(counts, 'memory', {
          heap: ({ heapBytes }) => heapBytes,
          mapped: ({ sealedBytes }) => sealedBytes,
        }),
    ),
    gauge(
      'isccd_search_index_graphs',
      'HNSW graphs over columns in files',
      ['index'],
      of(({ graphs }) => graphs),
    ),
    gauge(
      'isccd_search_index_journal_length',
      'Changed assets that are in no file, which a start reads',
      ['index'],
      of(({ journal }) => journal),
    ),
    total(
      'isccd_search_segment_files_total',
      'Files that were written, of full segments (seal) and of merged and compacted ones (merge)',
      ['index', 'work'],
      () => labelled(counts, 'work', { seal: ({ seals }) => seals, merge: ({ merges }) => merges }),
    ),
    total('isccd_search_segment_file_bytes_total', 'Size of these files', ['index', 'work'], () =>
      labelled(counts, 'work', {
        seal: ({ sealsBytes }) => sealsBytes,
        merge: ({ mergesBytes }) => mergesBytes,
      }),
    ),
    total(
      'isccd_search_segment_file_seconds_total',
      'Time to write them, mostly pauses for INDEXSVC_SEAL_RATE',
      ['index', 'work'],
      () =>
        labelled(counts, 'work', {
          seal: ({ sealsSeconds }) => sealsSeconds,
          merge: ({ mergesSeconds }) => mergesSeconds,
        }),
    ),
  ];
}

function scanned({ segments, listSegments, waitingSegments }: IndexCounts): number {
  return segments - listSegments - waitingSegments;
}

function engineMetrics(counts: () => EngineCounts): Metric[] {
  const queues = (value: (queue: QueueCounts) => number) => () => {
    const { searches, changes } = counts();
    return [
      { labels: { queue: 'searches' }, value: value(searches) },
      { labels: { queue: 'changes' }, value: value(changes) },
    ];
  };
  return [
    gauge(
      'isccd_search_queue_length',
      'Waiting requests',
      ['queue'],
      queues(({ waiting }) => waiting),
    ),
    total(
      'isccd_search_busy_total',
      'Requests that were refused with 503 because too many were waiting',
      ['queue'],
      queues(({ refused }) => refused),
    ),
    total('isccd_search_searches_total', 'Searches, by where they ran', ['thread'], () => {
      const { searches, inlineSearches } = counts();
      return [
        { labels: { thread: 'pool' }, value: searches.pushed - searches.refused },
        { labels: { thread: 'event loop' }, value: inlineSearches },
      ];
    }),
    total(
      'isccd_search_probes_total',
      'Units with which a segment was searched, by method; those that gave up lists are also counted as scan',
      ['method'],
      () => Object.entries(counts().probes).map(([method, value]) => ({ labels: { method }, value })),
    ),
    total(
      'isccd_search_rows_scanned_total',
      'Rows that searches compared, once per unit or simprint',
      [],
      () => [{ labels: {}, value: counts().rowsScanned }],
    ),
    total(
      'isccd_search_early_ends_total',
      'Searches that ended before all columns were searched, as the best matches were known',
      [],
      () => [{ labels: {}, value: counts().earlyEnds }],
    ),
  ];
}

function partSizes(indexes: readonly IndexCounts[]): Sample<'index' | 'part'>[] {
  const parts = [...new Set(indexes.flatMap(({ bytes }) => Object.keys(bytes)))];
  return parts.flatMap((part) => {
    const having = indexes.filter(({ bytes }) => part in bytes);
    return summed(having, ({ bytes }) => bytes[part] ?? 0).map(({ labels: { index }, value }) => ({
      labels: { index, part },
      value,
    }));
  });
}

/** A value of each index, or of the first {@link INDEXES_SHOWN_MAX} and the sum of the rest. */
function summed(indexes: readonly IndexCounts[], value: (index: IndexCounts) => number): Sample<'index'>[] {
  const values = indexes.map((index) => ({ labels: { index: index.name }, value: value(index) }));
  if (values.length <= INDEXES_SHOWN_MAX) return values;
  const others = values.slice(INDEXES_SHOWN_MAX).reduce((sum, sample) => sum + sample.value, 0);
  return [...values.slice(0, INDEXES_SHOWN_MAX), { labels: { index: OTHER_INDEXES }, value: others }];
}

/** All indexes, or the first {@link INDEXES_SHOWN_MAX} and the sum of the rest. */
export function shown(indexes: readonly IndexSize[]): readonly IndexSize[] {
  if (indexes.length <= INDEXES_SHOWN_MAX) return indexes;
  const others = indexes.slice(INDEXES_SHOWN_MAX);
  const assets = others.reduce((sum, index) => sum + index.assets, 0);
  return [...indexes.slice(0, INDEXES_SHOWN_MAX), { name: OTHER_INDEXES, assets }];
}
