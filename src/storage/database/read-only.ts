/** Read-only access to the database for commands, while services may be using it. Nothing is migrated or written. */
import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { schemaVersion } from './copy.js';
import { databasePlace } from './open.js';
import { placeOf } from './place.js';
import { openPostgres } from './postgres.js';
import { openSqliteReadOnly } from './sqlite.js';
import type { Db } from './tables.js';

export interface ReadOnlyDatabase {
  readonly db: Db;
  /** Name of the database in messages. */
  readonly place: string;
  /** Result of the engine's own integrity check, at most `linesMax` lines; empty if the file is intact. */
  damages(linesMax: number): Promise<string[]>;
  /** Runs reads in one snapshot. */
  inSnapshot<T>(read: (rows: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Returns `undefined` if the SQLite file does not exist.
 *
 * @throws {FormatRefused} if a newer version of this program wrote the database
 * @throws if the database can't be read
 */
export async function openReadOnly(
  url: string | undefined,
  dataDir: string,
): Promise<ReadOnlyDatabase | undefined> {
  const where = databasePlace(url, dataDir);
  const isFile = 'file' in where;
  const place = isFile ? where.file : placeOf(where.url);
  if (isFile && (await stat(where.file).catch(() => undefined)) === undefined) return undefined;
  const db = isFile ? openSqliteReadOnly(where.file) : openPostgres(where.url, { readsOnly: true });
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
    inSnapshot: (read) => {
      const transaction = db.transaction();
      // Every SQLite transaction reads a snapshot.
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
