/** Opens the store's database by its URL and migrates its tables. */
import path from 'node:path';
import type { Logger } from 'kysely';
import { failureReason } from '../../platform/failure-reason.js';
import type { Metric } from '../../platform/observe/instruments.js';
import { syncPath } from '../data/durable.js';
import { FormatRefused } from '../data/format.js';
import { migrate } from './migrate.js';
import { placeOf } from './place.js';
import { QueryMetrics } from './query-metrics.js';
import type { Db, Engine } from './tables.js';

export interface Database {
  readonly engine: Engine;
  readonly db: Db;
  readonly metrics: readonly Metric[];
  /** The file of an SQLite database. */
  readonly file?: string | undefined;
  close(): Promise<void>;
}

export const DATABASE_FILE = 'store.sqlite';

/**
 * @param url `sqlite:///path`, `postgres://...`, or `undefined` for a file in `dataDir`
 * @throws if the database can't be reached or can't be written to
 */
export async function openDatabase(url: string | undefined, dataDir: string): Promise<Database> {
  const { log, metrics } = new QueryMetrics();
  const opened = await open(url, dataDir, log);
  try {
    await opened.migrate();
    // The name of a new file.
    if (opened.engine === 'sqlite') await syncPath(path.dirname(opened.place));
    const { engine, db } = opened;
    const file = engine === 'sqlite' ? opened.place : undefined;
    return { engine, db, metrics, file, close: () => opened.db.destroy() };
  } catch (error) {
    await opened.db.destroy();
    throw opened.engine === 'sqlite' || error instanceof FormatRefused
      ? error
      : new Error(`${opened.place} cannot be used: ${failureReason(error)}`, { cause: error });
  }
}

/**
 * Loads the client of the engine, and not that of the other.
 *
 * @returns also `place`: the name of the database in messages, without its password
 */
async function open(
  url: string | undefined,
  dataDir: string,
  log: Logger,
): Promise<{ engine: Engine; db: Db; place: string; migrate: () => Promise<void> }> {
  const where = databasePlace(url, dataDir);
  if ('file' in where) {
    const { openSqlite } = await import('./sqlite.js');
    const [db, place] = [openSqlite(where.file, log), where.file];
    return { engine: 'sqlite', db, place, migrate: () => migrate(db, 'sqlite', place) };
  }
  const { openPostgres } = await import('./postgres.js');
  const place = placeOf(where.url);
  return {
    engine: 'postgres',
    db: openPostgres(where.url, { log, isBounded: true }),
    place,
    migrate: async () => {
      // A migration may take as long as it needs.
      const db = openPostgres(where.url, { log });
      await migrate(db, 'postgres', place).finally(() => db.destroy());
    },
  };
}

/** The SQLite file, or the URL of the server. */
export function databasePlace(url: string | undefined, dataDir: string): { file: string } | { url: string } {
  if (url === undefined) return { file: path.join(dataDir, DATABASE_FILE) };
  const file = /^sqlite:\/\/(\/.*)$/.exec(url)?.[1];
  return file === undefined ? { url } : { file };
}
