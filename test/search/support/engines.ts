/** The engines that pass the suites of their port, and what some of them do not do. */
import path from 'node:path';
import { vi } from 'vitest';
import { type Backend, newLocation } from './locations.js';

/** A write waits for a refresh of OpenSearch, and all files share a node: on a busy machine a suite takes minutes. */
const SUITE_MS_MAX = 400_000;
vi.setConfig({ testTimeout: SUITE_MS_MAX, hookTimeout: SUITE_MS_MAX });

export const ENGINES: readonly Backend[] = ['memory', 'lmdb', 'usearch', 'postgresql', 'opensearch'];

/** The engines of this lane of tests: OpenSearch is the slow one. Without a lane, all. */
const OF_LANE = ENGINES.filter((engine) => {
  const lane = process.env.ISCCD_TEST_LANE;
  return lane === undefined || (lane === 'slow') === (engine === 'opensearch');
});
const hasOpenSearch = OF_LANE.includes('opensearch') && (await newLocation('opensearch')) !== '';
/** The engines that this machine has. It may lack OpenSearch, which the run then says in one line. */
export const BACKENDS = OF_LANE.filter((engine) => engine !== 'opensearch' || hasOpenSearch);

/** The engines of {@link BACKENDS} among these. */
export function among<One extends Backend>(...wanted: readonly One[]): One[] {
  return wanted.filter((backend) => BACKENDS.includes(backend));
}

/**
 * What some engines do not do. Under "What is different", docs/how-to/run-many-instances.md says it of OpenSearch, which
 * refuses the first three with a sentence.
 */
const LACKS = {
  'declared paths': ['opensearch'],
  not_in: ['opensearch'],
  /** At low thresholds: from 0.88, candidates are complete. */
  'exact=true': ['opensearch'],
  /** Its realm is that of its first asset, also after all assets are deleted. */
  'another realm': ['opensearch'],
  'units shorter than 64 bits': ['opensearch'],
  /** Below 0.88, only candidates are scored, so `Search-Exact` is false. */
  'all assets scored': ['opensearch'],
  /** Files of this machine. */
  folder: ['memory', 'opensearch'],
  /** Its indexes end with the process. */
  persistence: ['memory'],
} as const satisfies Record<string, readonly Backend[]>;

export function has(backend: Backend, feature: keyof typeof LACKS): boolean {
  return !(LACKS[feature] as readonly Backend[]).includes(backend);
}

/** The folder with the files of the indexes, for the data directory `folder`. */
export function indexFolder(backend: Backend, folder: string): string {
  return path.join(folder, backend === 'postgresql' ? 'search-cache' : backend);
}

/** The engine that finds and scores, whose recorded responses are expected. */
export function engineOf(backend: Backend): 'lmdb' | 'usearch' {
  return backend === 'lmdb' ? 'lmdb' : 'usearch';
}
