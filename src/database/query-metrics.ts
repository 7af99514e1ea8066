/** How long statements take, for whoever watches the database. */
import type { LogEvent } from 'kysely';
import { durations, type Figure } from '../observe/figures.js';

/** Upper ends: from a lookup in memory to a statement that waits for another process's write. */
const BUCKETS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Statements by what Kysely calls their root. */
const KINDS: Readonly<Record<string, string>> = {
  SelectQueryNode: 'select',
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
};

export class QueryMetrics {
  readonly #durations = durations(
    'isccd_store_query_duration_seconds',
    'Statements of the database, by what they do and whether they failed',
    ['statement', 'outcome'],
    BUCKETS_SECONDS,
  );

  get figures(): Figure[] {
    return [this.#durations];
  }

  /** Kysely's logger: told each statement when it is over. */
  readonly log = ({ level, query, queryDurationMillis }: LogEvent): void => {
    const statement = KINDS[query.query.kind] ?? 'other';
    const outcome = level === 'error' ? 'failed' : 'done';
    this.#durations.observe({ statement, outcome }, queryDurationMillis / 1000);
  };
}
