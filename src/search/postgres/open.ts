/** Opens the database of the indexes and migrates its tables. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import { migrateTables } from '../../database/migrate.js';
import { FailoverPool } from './failover-pool.js';
import { type PostgresLocation, parseLocation } from './location.js';
import { SEARCH_MIGRATIONS } from './migrations/index.js';
import { Newest } from './newest.js';
import type { SearchTables } from './tables.js';

export type SearchDb = Kysely<SearchTables>;

export interface SearchDatabase {
  readonly db: SearchDb;
  readonly newest: Newest;
}

/** Version of the server that has all functions in use. */
export const SERVER_VERSION_MIN = 13;

/** SQLSTATEs: the name of a schema is taken. */
const TAKEN: ReadonlySet<unknown> = new Set(['23505', '42P06']);

/**
 * @param location `postgresql://...`
 * @throws {FormatRefused} if the location is invalid, or a newer version of this program wrote the database
 * @throws if the database can't be reached or can't be written to
 */
export async function openSearchDatabase(location: string): Promise<SearchDatabase> {
  const parsed = parseLocation(location);
  const pool = new FailoverPool(parsed);
  const db = kyselyOf(pool);
  try {
    await createSchema(db, parsed.schema);
    await migrateTables(db, 'postgres', parsed.place, SEARCH_MIGRATIONS);
    return { db, newest: new Newest(pool) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Connects at the first statement. */
export function connect(location: PostgresLocation): SearchDb {
  return kyselyOf(new FailoverPool(location));
}

function kyselyOf(pool: FailoverPool): SearchDb {
  return new Kysely<SearchTables>({ dialect: new PostgresDialect({ pool }) });
}

/** A role without the right to create schemas can use one that exists. */
async function createSchema(db: SearchDb, schema: string): Promise<void> {
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db);
  if (rows.length > 0) return;
  await sql`create schema if not exists ${sql.id(schema)}`.execute(db).catch((error: unknown) => {
    // Another process created it at the same time.
    if (!(error instanceof Error && 'code' in error && TAKEN.has(error.code))) throw error;
  });
}
