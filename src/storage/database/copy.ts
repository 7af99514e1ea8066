/** Copies the database while other processes write to it. */
import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { syncPath } from '../data/durable.js';
import { dumpConnection } from './dump-connection.js';
import { requireUsable, versionOf } from './migrate.js';
import { STORE_SCHEMA } from './migrations/index.js';
import { databasePlace } from './open.js';
import { placeOf } from './place.js';
import { openPostgres } from './postgres.js';
import { blockWrites, copySqlite, openSqliteCopy, openSqliteReadOnly } from './sqlite.js';
import type { Db } from './tables.js';

export interface DatabaseCopyJob {
  /** `DATABASE_URL`. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Target file for an SQLite database. */
  readonly file: string;
  /** Target file for a PostgreSQL dump. */
  readonly dump: string;
  /** Environment of `pg_dump`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends `pg_dump`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Copies the files of the rows. Returns `false` if one is missing, because its row was deleted after the copy.
   *
   * @param now the database as it is now
   */
  complete(rows: Db, now: Db): Promise<boolean>;
  /** Adapts the rows of an SQLite copy for a restore. Not called without tables. */
  prepare(copy: Db): Promise<void>;
}

/** The file that was written; `undefined` if there is no database yet. */
export type DatabaseCopy = string | undefined;

/** Attempts without blocking writers. The one after them blocks them. */
const FREE_TRIES = 3;
const ABSENT = 'ENOENT';

/**
 * Copies a snapshot of the database for which `complete` found all files.
 *
 * @throws {FormatRefused} if the database was written by a newer version
 * @throws if the copy fails, or `pg_dump` is missing
 */
export async function copyDatabase(job: DatabaseCopyJob): Promise<DatabaseCopy> {
  const place = databasePlace(job.url, job.dataDir);
  return 'file' in place ? copySqliteFile(place.file, job) : dumpPostgres(place.url, job);
}

/**
 * Version of a database's tables; 0 without tables.
 *
 * @throws {FormatRefused} if the version is newer than this program, which can't use the tables
 */
export async function schemaVersion(db: Db, place: string): Promise<number> {
  const tables = await db.introspection.getTables();
  const found = await versionOf(
    db,
    tables.map(({ name }) => name),
  );
  requireUsable(found, STORE_SCHEMA, place);
  return found.version;
}

async function copySqliteFile(source: string, job: DatabaseCopyJob): Promise<DatabaseCopy> {
  if ((await stat(source).catch(() => undefined)) === undefined) return undefined;
  for (let tries = 0; ; tries += 1) {
    const release = tries < FREE_TRIES ? undefined : blockWrites(source);
    try {
      await rm(job.file, { force: true });
      copySqlite(source, job.file);
      if (await isComplete(source, job)) break;
      if (release !== undefined) throw new Error(`rows of ${source} have no file`);
    } finally {
      release?.();
    }
  }
  await prepareCopy(job);
  await syncPath(job.file);
  return job.file;
}

async function prepareCopy({ file, prepare }: DatabaseCopyJob): Promise<void> {
  const copy = openSqliteCopy(file);
  try {
    if ((await schemaVersion(copy, file)) > 0) await prepare(copy);
  } finally {
    await copy.destroy();
  }
}

async function isComplete(source: string, { file, complete }: DatabaseCopyJob): Promise<boolean> {
  const [copy, now] = [openSqliteReadOnly(file), openSqliteReadOnly(source)];
  try {
    if ((await schemaVersion(copy, source)) === 0) return true;
    return await complete(copy, now);
  } finally {
    await Promise.all([copy.destroy(), now.destroy()]);
  }
}

/** The transaction and the dump share one exported snapshot. */
async function dumpPostgres(url: string, job: DatabaseCopyJob): Promise<DatabaseCopy> {
  const db = openPostgres(url);
  try {
    for (let tries = 0; tries <= FREE_TRIES; tries += 1) {
      const snapshot = db.transaction().setIsolationLevel('repeatable read');
      const outcome = await snapshot.execute(async (rows) => {
        if ((await schemaVersion(rows, placeOf(url))) === 0) return 'empty';
        await runDump(url, await exportSnapshot(rows), job);
        return (await job.complete(rows, db)) ? 'copied' : 'incomplete';
      });
      if (outcome !== 'incomplete') return outcome === 'copied' ? job.dump : undefined;
    }
    throw new Error('manifests were deleted during each attempt to copy them');
  } finally {
    await db.destroy();
  }
}

async function exportSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`select pg_export_snapshot() as id`.execute(db);
  return rows[0]?.id ?? '';
}

async function runDump(url: string, snapshot: string, job: DatabaseCopyJob): Promise<void> {
  const { address, variables } = dumpConnection(url, job.environment.NODE_EXTRA_CA_CERTS);
  const env = { ...job.environment, ...variables };
  const args = ['--format=custom', `--snapshot=${snapshot}`, `--file=${job.dump}`, `--dbname=${address}`];
  try {
    await promisify(execFile)('pg_dump', args, { env, signal: job.signal });
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === ABSENT;
    throw isAbsent
      ? new Error('pg_dump is not on the PATH; it is needed to copy a PostgreSQL database')
      : error;
  }
  await syncPath(job.dump);
}
