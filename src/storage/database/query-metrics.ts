/** Metrics of database statements. */
import type { LogEvent } from 'kysely';
import { durations, type Metric } from '../../platform/observe/instruments.js';

/** Upper bounds: from a lookup in memory to a statement that waits for another process's write. */
const BUCKETS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Statement labels by Kysely's root node. */
const KINDS: Readonly<Record<string, string>> = {
  SelectQueryNode: 'select',
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
};

export class QueryMetrics {
  readonly #durations = durations(
    'isccd_store_query_duration_seconds',
    'Duration of database statements, by type and outcome',
    ['statement', 'outcome'],
    BUCKETS_SECONDS,
  );

  get metrics(): Metric[] {
    return [this.#durations];
  }

  /** Kysely's logger, called after each statement. */
  readonly log = ({ level, query, queryDurationMillis }: LogEvent): void => {
    const statement = KINDS[query.query.kind] ?? 'other';
    const outcome = level === 'error' ? 'failed' : 'done';
    this.#durations.observe({ statement, outcome }, queryDurationMillis / 1000);
  };
}
