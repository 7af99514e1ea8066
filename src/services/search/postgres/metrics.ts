/** Metrics of the cache that follows the database. */
import { gauge, type Metric } from '../../../platform/observe/instruments.js';

/** @param ageSeconds time since the cache had all changes; infinite before it is loaded */
export function cacheMetrics(ageSeconds: () => number): readonly Metric[] {
  const age = gauge(
    'isccd_search_cache_age_seconds',
    'Time since the cache of this process had all changes of the database; absent until it is loaded',
    [],
    () => [ageSeconds()].filter(Number.isFinite).map((value) => ({ labels: {}, value })),
  );
  return [age];
}
