/** The tables of standing queries and of units that are set aside, in PostgreSQL next to the indexes, or in a file of SQLite in the folder of the indexes. */
import { type Generated, type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from '../../../storage/database/migration.js';
import type { Engine } from '../../../storage/database/tables.js';
import type { OutboxTables } from '../../../storage/outbox/tables.js';

export interface WatchTables extends OutboxTables {
  watches: WatchTable;
  watch_changes: WatchChangeTable;
  watch_events: WatchEventTable;
  watch_lease: WatchLeaseTable;
  quarantine: QuarantineTable;
}

export interface WatchTable {
  /** Never used again: a watch that is replaced gets a new one. */
  number: Generated<number>;
  index_id: number;
  id: string;
  /** JSON: the query as the engine read it. */
  query: string;
  /** JSON: what the client sent, without the query. */
  settings: string;
  /** Changes after this one are reported. */
  since: number;
  /** Key of the receiver. */
  webhook: number | null;
  created_at: number;
}

/** A commit of a watched index that was not compared with the watches yet. */
export interface WatchChangeTable {
  sequence: number;
  /** Random, because a restored database counts on from an earlier number. */
  tag: string;
  index_id: number;
  at: number;
  /** JSON: realm and simprint types. */
  state: string;
  /** JSON: assets after the commit. */
  put_rows: string;
  /** JSON: the same assets, and deleted ones, before it. */
  old_rows: string;
}

export interface WatchEventTable {
  key: Generated<number>;
  index_id: number;
  watch: string;
  event_id: string;
  type: string;
  at: number;
  /** JSON, as webhooks get it. */
  body: string;
}

/** A single row: the process that compares. */
export interface WatchLeaseTable {
  id: number;
  /** Last number of a change. PostgreSQL has the feed for that. */
  sequence: number;
  leader: string | null;
  leased_until: number;
}

/** A unit that the flood guard has set aside. */
export interface QuarantineTable {
  index_id: number;
  unit: string;
  /** `set_aside`, `confirmed` or `released`. */
  state: string;
  /** Answers in which it matched in the window in which it was set aside. */
  matches: number;
  /** Average of the windows before. */
  past: number;
  set_aside_at: number;
  decided_at: number | null;
}

/** Indexes of a folder that have or had watches, or units that are set aside. */
export interface WatchedIndexTable {
  id: Generated<number>;
  /** Also in the index, with the number of its last change. */
  tag: string;
}

export interface FolderWatchTables extends WatchTables {
  watched_indexes: WatchedIndexTable;
}

export type WatchDb = Kysely<WatchTables>;
export type FolderWatchDb = Kysely<FolderWatchTables>;

/** The part of a database that watches use. Kysely can't infer columns of tables that are a type parameter. */
export function watchesOf<Tables extends WatchTables>(db: Kysely<Tables>): WatchDb {
  return db as unknown as WatchDb;
}

/** Deletes the watches of an index, with their events and receivers, and its list of units that are set aside. */
export async function forgetWatches(transaction: WatchDb, index: number): Promise<void> {
  const receivers = transaction.selectFrom('watches').select('webhook').where('index_id', '=', index);
  await transaction.deleteFrom('webhook_events').where('webhook', 'in', receivers).execute();
  await transaction.deleteFrom('webhooks').where('key', 'in', receivers).execute();
  for (const table of ['watch_changes', 'watch_events', 'watches', 'quarantine'] as const)
    await transaction.deleteFrom(table).where('index_id', '=', index).execute();
}

const KEYS: Readonly<Record<Engine, string>> = {
  sqlite: 'integer primary key autoincrement',
  postgres: 'bigint generated always as identity primary key',
};

export async function createWatches<Tables extends WatchTables>(
  transaction: Transaction<Tables>,
  engine: Engine,
): Promise<void> {
  const key = KEYS[engine];
  const statements = [
    `create table watches (number ${key}, index_id bigint not null, id text not null, query text not null,
      settings text not null, since bigint not null, webhook bigint, created_at bigint not null)`,
    'create unique index watches_id on watches (index_id, id)',
    `create table watch_changes (sequence bigint primary key, tag text not null, index_id bigint not null,
      at bigint not null, state text not null, put_rows text not null, old_rows text not null)`,
    `create table watch_events (key ${key}, index_id bigint not null, watch text not null,
      event_id text not null unique, type text not null, at bigint not null, body text not null)`,
    'create index watch_events_watch on watch_events (index_id, watch, key)',
    'create index watch_events_at on watch_events (at)',
    `create table watch_lease (id integer primary key, sequence bigint not null default 0, leader text,
      leased_until bigint not null default 0)`,
    'insert into watch_lease (id) values (1)',
    `create table quarantine (index_id bigint not null, unit text not null, state text not null,
      matches bigint not null, past double precision not null, set_aside_at bigint not null, decided_at bigint,
      primary key (index_id, unit))`,
    `create table webhooks (key ${key}, url text not null, types text not null, nonce text not null,
      created_at bigint not null, disabled_at bigint, delivered bigint not null default 0, delivered_at bigint,
      failed bigint not null default 0, failed_at bigint, error text, leader text,
      leased_until bigint not null default 0)`,
    `create table webhook_events (key ${key}, webhook bigint not null, event_id text not null unique,
      type text not null, at bigint not null, body text not null, attempts integer not null default 0,
      next_at bigint not null, error text)`,
    'create index webhook_events_webhook_next_at on webhook_events (webhook, next_at, key)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(transaction);
}

async function createFolderWatches(transaction: Transaction<FolderWatchTables>, engine: Engine) {
  await createWatches(transaction, engine);
  await sql
    .raw(`create table watched_indexes (id ${KEYS[engine]}, tag text not null unique)`)
    .execute(transaction);
}

/** The tables of a folder. */
export const FOLDER_WATCHES: Schema<FolderWatchTables> = {
  steps: [createFolderWatches],
  compatibleSince: 1,
  table: 'watches',
};
