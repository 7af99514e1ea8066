/**
 * Migrates the tables to the current version.
 *
 * Kysely's own migrator is not used: several processes may start at the same time on either engine, and its lock does
 * not cover SQLite. Here a process waits for the migration of another one.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { FormatRefused } from '../data/format.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Engine } from './open.js';
import { isLocked } from './sqlite.js';
import type { Tables } from './tables.js';

/** How long a start waits for the migration of another process. */
const WAIT_MS_MAX = 10 * 60_000;

interface VersionTables {
  schema_version: { id: number; version: number };
}

/** Id of the PostgreSQL advisory lock for migrations; an arbitrary constant (`iscc` in ASCII). */
const LOCK = 0x69736363;

/** One step of a migration. */
export type MigrationStep<T> = (transaction: Transaction<T>, engine: Engine) => Promise<void>;

/**
 * Migrates the store's tables.
 *
 * @param place name of the database in messages
 * @throws {FormatRefused} if the database was written by a newer version of this program
 */
export function migrate(db: Kysely<Tables>, engine: Engine, place: string): Promise<void> {
  return migrateTables(db, engine, place, MIGRATIONS);
}

/**
 * Runs the steps that the database lacks, in one transaction.
 *
 * @throws {FormatRefused} if the database was written by a newer version of this program
 */
export async function migrateTables<T>(
  db: Kysely<T>,
  engine: Engine,
  place: string,
  steps: readonly MigrationStep<T>[],
): Promise<void> {
  await exclusively(db, engine, async (transaction) => {
    await createVersion(transaction);
    // An update, because earlier versions of this program lock the row to wait for each other.
    const { version } = await transaction
      .updateTable('schema_version')
      .set({ id: 1 })
      .returning('version')
      .executeTakeFirstOrThrow();
    if (version > steps.length) throw FormatRefused.newer(place, version, steps.length);
    if (version === steps.length) return;
    for (const step of steps.slice(version)) await step(transaction as unknown as Transaction<T>, engine);
    await transaction.updateTable('schema_version').set({ version: steps.length }).execute();
  });
}

/** Runs a transaction while no other process migrates. */
async function exclusively<T>(
  db: Kysely<T>,
  engine: Engine,
  work: (transaction: Transaction<VersionTables>) => Promise<void>,
): Promise<void> {
  const versions = db as unknown as Kysely<VersionTables>;
  if (engine === 'sqlite') return whenUnlocked(() => versions.transaction().execute(work));
  await versions.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
    await work(transaction);
  });
}

/**
 * Repeats a transaction that could not begin because another process migrates: each try waits for SQLite's busy time-out,
 * and the migration of a large table takes longer.
 */
async function whenUnlocked(transaction: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error;
    }
  }
}

async function createVersion(transaction: Transaction<VersionTables>): Promise<void> {
  await transaction.schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await transaction
    .insertInto('schema_version')
    .values({ id: 1, version: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
