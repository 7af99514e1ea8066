/**
 * Migrates the tables to the current version.
 *
 * Kysely's own migrator is not used: several processes may start at the same time on either engine, and its lock does
 * not cover SQLite. Here the update of the version row is the lock in both engines.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { FormatRefused } from '../data/format.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Engine } from './open.js';
import type { Tables } from './tables.js';

interface VersionTables {
  schema_version: { id: number; version: number };
}

/** Id of the PostgreSQL advisory lock for migrations; an arbitrary constant (`iscc` in ASCII). */
const LOCK = 0x69736363;

/**
 * @param place name of the database in messages
 * @throws {FormatRefused} if the database was written by a newer version of this program
 */
export async function migrate(db: Kysely<Tables>, engine: Engine, place: string): Promise<void> {
  const versions = db as unknown as Kysely<VersionTables>;
  await versions.transaction().execute((transaction) => createVersion(transaction, engine));
  await versions.transaction().execute(async (transaction) => {
    // An update even if nothing is to do, because it takes the lock: the second process waits for the first.
    const { version } = await transaction
      .updateTable('schema_version')
      .set({ id: 1 })
      .returning('version')
      .executeTakeFirstOrThrow();
    if (version > MIGRATIONS.length) {
      throw FormatRefused.newer(place, version, MIGRATIONS.length);
    }
    if (version === MIGRATIONS.length) return;
    for (const step of MIGRATIONS.slice(version)) {
      await step(transaction as unknown as Transaction<Tables>, engine);
    }
    await transaction.updateTable('schema_version').set({ version: MIGRATIONS.length }).execute();
  });
}

async function createVersion(transaction: Transaction<VersionTables>, engine: Engine): Promise<void> {
  // `if not exists` alone does not prevent two PostgreSQL sessions from creating the table concurrently.
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
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
