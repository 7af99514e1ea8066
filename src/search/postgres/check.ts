/** Checks that a database can hold indexes: it is reachable, can be written, and is new enough. */
import { sql } from 'kysely';
import { FormatRefused } from '../../data/format.js';
import { ServerRefused } from '../../database/server-refused.js';
import { type PostgresLocation, parseLocation } from './location.js';
import { SEARCH_MIGRATIONS } from './migrations/index.js';
import { connect, SERVER_VERSION_MIN, type SearchDb } from './open.js';

interface Server {
  readonly version: number;
  readonly schema: boolean;
  /** Whether a schema may be created. */
  readonly creates: boolean;
  /** Whether tables of the schema may be created; null without the schema. */
  readonly uses: boolean | null;
}

/** Why the database can't be used, for the operator; `undefined` if it can. Changes nothing. */
export async function databaseProblem(text: string): Promise<string | undefined> {
  let location: PostgresLocation;
  try {
    location = parseLocation(text);
  } catch (error) {
    if (error instanceof FormatRefused) return error.message;
    throw error;
  }
  const db = connect(location);
  try {
    return await problemOf(db, location);
  } catch (error) {
    const reason = error instanceof Error ? error.message || String(error) : String(error);
    const isReached = error instanceof ServerRefused;
    return isReached ? `${location.place}: ${reason}` : `${location.place} cannot be used: ${reason}`;
  } finally {
    await db.destroy();
  }
}

async function problemOf(db: SearchDb, { schema, place }: PostgresLocation): Promise<string | undefined> {
  const { rows } = await sql<Server>`
    select current_setting('server_version_num')::int / 10000 as version,
      exists (select 1 from pg_namespace where nspname = ${schema}) as schema,
      has_database_privilege(current_database(), 'create') as creates,
      case when exists (select 1 from pg_namespace where nspname = ${schema})
        then has_schema_privilege(${schema}, 'create, usage') end as uses
  `.execute(db);
  const server = rows[0] as Server;
  if (server.version < SERVER_VERSION_MIN)
    return `PostgreSQL ${server.version} at ${place} is too old, isccd needs ${SERVER_VERSION_MIN} or later`;
  if (!server.schema && !server.creates)
    return `the user may not create the schema ${schema} in ${place}; create it, or grant CREATE on the database`;
  if (server.uses === false) return `the user may not create tables in the schema ${schema} of ${place}`;
  const found = await migrated(db, schema);
  return found > SEARCH_MIGRATIONS.length
    ? `${place} was written by a newer isccd (format ${found}, this one knows ${SEARCH_MIGRATIONS.length})`
    : undefined;
}

async function migrated(db: SearchDb, schema: string): Promise<number> {
  const name = `${schema}.schema_version`;
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(
    db,
  );
  if (!rows[0]?.found) return 0;
  const { rows: versions } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return versions[0]?.version ?? 0;
}
