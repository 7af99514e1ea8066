/** Opens the store's database by its URL and brings its tables up to date. */
import path from 'node:path';
import type { Kysely } from 'kysely';
import { migrate } from './migrate.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';
import type { Tables } from './tables.js';

export type Engine = 'sqlite' | 'postgres';

/**
 * A transaction's first statement has to be a write: SQLite takes the write lock there, and a transaction that has
 * read before may be refused it.
 */
export type Db = Kysely<Tables>;

export interface Database {
  readonly engine: Engine;
  readonly db: Db;
  close(): Promise<void>;
}

const FILE_NAME = 'store.sqlite';

/**
 * @param url `sqlite:///path`, `postgres://...`, or `undefined` for a file in `dataDir`
 * @throws if the database can't be reached or can't be written to
 */
export async function openDatabase(url: string | undefined, dataDir: string): Promise<Database> {
  const opened = open(url, dataDir);
  try {
    await migrate(opened.db, opened.engine);
    return { ...opened, close: () => opened.db.destroy() };
  } catch (error) {
    await opened.db.destroy();
    throw error;
  }
}

function open(url: string | undefined, dataDir: string): { engine: Engine; db: Db } {
  if (url === undefined) return { engine: 'sqlite', db: openSqlite(path.join(dataDir, FILE_NAME)) };
  const file = /^sqlite:\/\/(\/.*)$/.exec(url)?.[1];
  if (file !== undefined) return { engine: 'sqlite', db: openSqlite(file) };
  return { engine: 'postgres', db: openPostgres(url) };
}
