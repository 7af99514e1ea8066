/** The tables of the first version. */
import { sql, type Transaction } from 'kysely';
import { createWatches } from '../../watches/tables.js';
import type { SearchTables } from '../tables.js';

const STATEMENTS = [
  `create table installation (id integer primary key, name text not null)`,
  `insert into installation (id, name) values (1, gen_random_uuid()::text)`,
  `create table indexes (
    id bigint generated always as identity primary key,
    name text not null unique,
    realm smallint,
    simprint_types text not null default '[]',
    paths text not null default '[]',
    changed bigint not null,
    tag uuid not null,
    follows smallint,
    created timestamptz not null default now()
  )`,
  `create table aliases (name text primary key, index_id bigint not null references indexes)`,
  // Without a foreign key: the assets of a deleted index are removed later.
  `create table assets (
    index_id bigint not null,
    key bytea not null,
    code text,
    units text[],
    metadata text,
    created timestamptz not null default now(),
    updated timestamptz not null default now(),
    primary key (index_id, key)
  )`,
  `create table simprints (
    index_id bigint not null,
    key bytea not null,
    body text not null,
    primary key (index_id, key)
  )`,
  `create table dropped (index_id bigint primary key)`,
  `create table feed (id integer primary key, sequence bigint not null, forgotten bigint not null default 0)`,
  `insert into feed (id, sequence) values (1, 0)`,
  `create table changes (
    sequence bigint primary key,
    index_id bigint,
    keys bytea[],
    count integer not null default 0,
    tag uuid not null default gen_random_uuid()
  )`,
  // Of indexes that follow the logs of hubs.
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

export async function createIndexes(transaction: Transaction<SearchTables>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  await createWatches(transaction, 'postgres');
}
