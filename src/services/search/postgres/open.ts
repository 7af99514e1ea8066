/** Opens the database of the indexes and migrates its tables. */
import { Kysely, type PostgresCursorConstructor, PostgresDialect, sql } from 'kysely';
import { FormatRefused } from '../../../storage/data/format.js';
import { FailoverPool } from '../../../storage/database/failover-pool.js';
import { migrateTables } from '../../../storage/database/migrate.js';
import { sharesSessions } from '../../../storage/database/pooler.js';
import { QUERY_MS_MAX, WRITER_SESSION } from '../../../storage/database/session.js';
import { CopiedRows } from './copied-rows.js';
import { type PostgresLocation, parseLocation } from './location.js';
import { SEARCH_SCHEMA } from './migrations/index.js';
import { Newest } from './newest.js';
import type { SearchDb, SearchTables } from './tables.js';

export interface SearchDatabase {
  readonly db: SearchDb;
  readonly newest: Newest;
  /** For connections that are kept. */
  readonly pool: FailoverPool;
}

/** Version of the server that has all functions in use. */
export const SERVER_VERSION_MIN = 13;

const CONNECT_MS_MAX = 3_000;

/** SQLSTATEs: the name of a schema is taken. */
const TAKEN: ReadonlySet<unknown> = new Set(['23505', '42P06']);

/**
 * @param location `postgresql://...`
 * @throws {FormatRefused} if the location is invalid, a newer version of this program wrote the database, or a pooler shares sessions
 * @throws if the database can't be reached or can't be written to
 */
export async function openSearchDatabase(location: string): Promise<SearchDatabase> {
  const parsed = parseLocation(location);
  const pool = poolOf(parsed);
  const db = kyselyOf(pool);
  try {
    await requireSessions(parsed);
    await createSchema(db, parsed.schema);
    await migrateTables(db, 'postgres', parsed.place, SEARCH_SCHEMA);
    return { db, newest: new Newest(pool), pool };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Connects at the first statement. */
export function connect(location: PostgresLocation): SearchDb {
  return kyselyOf(poolOf(location));
}

function poolOf({ hosts, schema }: PostgresLocation): FailoverPool {
  return new FailoverPool({
    hosts,
    connectMsMax: CONNECT_MS_MAX,
    queryMsMax: QUERY_MS_MAX,
    session: { ...WRITER_SESSION, bytea_output: 'hex', search_path: schema },
    encoding: 'UTF8',
  });
}

function kyselyOf(pool: FailoverPool): SearchDb {
  return new Kysely<SearchTables>({
    dialect: new PostgresDialect({ pool, cursor: CopiedRows as PostgresCursorConstructor }),
  });
}

/**
 * The schema is a setting of sessions: other clients would look for their tables in it.
 *
 * @throws {FormatRefused} if a pooler shares sessions
 */
export async function requireSessions({ hosts, place }: PostgresLocation): Promise<void> {
  // Without settings, which the sessions would keep.
  const pool = new FailoverPool({ hosts, connectMsMax: CONNECT_MS_MAX, queryMsMax: QUERY_MS_MAX });
  try {
    if (!(await sharesSessions(pool))) return;
  } finally {
    await pool.end();
  }
  throw new FormatRefused(
    `${place}: a pooler shares its sessions between clients; use its session mode (pool_mode = session of PgBouncer), or connect to the server itself`,
  );
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
