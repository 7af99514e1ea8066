/** The database as commands read it beside services: nothing is migrated, nothing is written. */
import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { schemaVersion } from './copy.js';
import { type Db, databasePlace, withoutPassword } from './open.js';
import { openPostgres } from './postgres.js';
import { openSqliteBeside } from './sqlite.js';

export interface ReadOnlyDatabase {
  readonly db: Db;
  /** What messages call it. */
  readonly place: string;
  /** What the engine itself finds wrong with its file, at most so many lines. */
  damages(linesMax: number): Promise<string[]>;
  /** Runs reads that all see the same state. */
  inOneMoment<T>(read: (rows: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Gives `undefined` if there is no SQLite file.
 *
 * @throws {FormatRefused} if a newer version has written it
 * @throws if it can't be read at all
 */
export async function openReadOnly(
  url: string | undefined,
  dataDir: string,
): Promise<ReadOnlyDatabase | undefined> {
  const where = databasePlace(url, dataDir);
  const isFile = 'file' in where;
  const place = isFile ? where.file : withoutPassword(where.url);
  if (isFile && (await stat(where.file).catch(() => undefined)) === undefined) return undefined;
  const db = isFile ? openSqliteBeside(where.file) : openPostgres(where.url);
  try {
    await schemaVersion(db, place);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    place,
    damages: isFile ? (max) => damages(db, max) : async () => [],
    inOneMoment: (read) => {
      const transaction = db.transaction();
      // In SQLite every transaction is of one moment.
      return (isFile ? transaction : transaction.setIsolationLevel('repeatable read')).execute(read);
    },
    close: () => db.destroy(),
  };
}

async function damages(db: Db, linesMax: number): Promise<string[]> {
  const { rows } = await sql<{
    integrity_check: string;
  }>`pragma integrity_check(${sql.lit(linesMax)})`.execute(db);
  const lines = rows.map(({ integrity_check }) => integrity_check.replaceAll('\n', ' '));
  return lines.filter((line) => line !== 'ok');
}
