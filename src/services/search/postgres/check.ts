/** Checks that a database can hold indexes: it is reachable, can be written, and is new enough. */
import { sql } from 'kysely';
import { failureReason } from '../../../platform/failure-reason.js';
import { FormatRefused } from '../../../storage/data/format.js';
import { checkTables } from '../../../storage/database/migrate.js';
import { ServerRefused } from '../../../storage/database/server-refused.js';
import { type PostgresLocation, parseLocation } from './location.js';
import { SEARCH_SCHEMA } from './migrations/index.js';
import { connect, requireSessions, SERVER_VERSION_MIN } from './open.js';
import type { SearchDb } from './tables.js';

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
    await requireSessions(location);
    return await problemOf(db, location);
  } catch (error) {
    if (error instanceof FormatRefused) return error.message;
    const reason = failureReason(error);
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
        then has_schema_privilege(${schema}, 'create') and has_schema_privilege(${schema}, 'usage') end as uses
  `.execute(db);
  const server = rows[0] as Server;
  if (server.version < SERVER_VERSION_MIN)
    return `PostgreSQL ${server.version} at ${place} is too old, isccd needs ${SERVER_VERSION_MIN} or later`;
  if (!server.schema && !server.creates)
    return `the user may not create the schema ${schema} in ${place}; create it, or grant CREATE on the database`;
  if (server.uses === false) return `the user may not create tables in the schema ${schema} of ${place}`;
  await checkTables(db, SEARCH_SCHEMA, place);
  return undefined;
}
