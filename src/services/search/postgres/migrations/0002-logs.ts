/** Indexes that follow hub logs, and the state of their follower. */
import { sql, type Transaction } from 'kysely';
import type { SearchTables } from '../tables.js';

const STATEMENTS = [
  `alter table indexes add column follows smallint`,
  `create table log_rows (
    index_id bigint not null,
    part smallint not null,
    key bytea not null,
    value bytea,
    sequence bigint not null,
    primary key (index_id, part, key)
  )`,
  `create index log_rows_sequence on log_rows (index_id, sequence)`,
];

export async function createLogs(transaction: Transaction<SearchTables>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
}
