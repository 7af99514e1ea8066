/** Brings the tables up to date, also when several processes start at once. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { FormatRefused } from '../data/format.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Engine } from './open.js';
import type { Tables } from './tables.js';

interface VersionTables {
  schema_version: { id: number; version: number };
}

/** Of the lock that PostgreSQL's processes take while they migrate; any number that is ours alone. */
const LOCK = 0x69736363;

/**
 * @param place what messages call the database
 * @throws {FormatRefused} if the database was written by a newer version of this program
 */
export async function migrate(db: Kysely<Tables>, engine: Engine, place: string): Promise<void> {
  const versions = db as unknown as Kysely<VersionTables>;
  await versions.transaction().execute((transaction) => createVersion(transaction, engine));
  await versions.transaction().execute(async (transaction) => {
    // A write, and so a lock, whatever it finds: who comes second finds the work done.
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
  // `if not exists` alone does not keep two PostgreSQL sessions from creating one table at once.
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
