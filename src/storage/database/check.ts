/**
 * Checks that a database can hold the store's tables: it is reachable, can be written, and has a suitable encoding; and that
 * `pg_dump` can copy it.
 */
import { sql } from 'kysely';
import { failureReason } from '../../platform/failure-reason.js';
import { FormatRefused } from '../data/format.js';
import { dumpProblem } from './dump-version.js';
import { checkTables } from './migrate.js';
import { STORE_SCHEMA } from './migrations/index.js';
import { placeOf } from './place.js';
import { openPostgres } from './postgres.js';

interface Server {
  readonly is_read_only: boolean;
  /** Whether tables may be created in the schema; null without one that may be used. */
  readonly creates: boolean | null;
  readonly schema: string | null;
  readonly version: number;
}

/** Why the PostgreSQL database can't be used or backed up, for the operator; `undefined` if it can. Changes nothing. */
export async function databaseProblem(url: string): Promise<string | undefined> {
  const db = openPostgres(url, { isBounded: true });
  const place = placeOf(url);
  try {
    const { rows } = await sql<Server>`
      select current_setting('transaction_read_only')::boolean as is_read_only, current_schema() as schema,
        has_schema_privilege(current_schema(), 'create') as creates,
        current_setting('server_version_num')::int as version
    `.execute(db);
    const [server] = rows;
    if (server?.is_read_only) return `${place} is read-only`;
    if (server?.creates !== true)
      return `the user may not create tables in the schema ${server?.schema ?? 'public'} of ${place}`;
    await checkTables(db, STORE_SCHEMA, place);
    return await dumpProblem(server.version);
  } catch (error) {
    if (error instanceof FormatRefused) return error.message;
    const reason = failureReason(error);
    return `${place} cannot be used: ${reason}`;
  } finally {
    await db.destroy();
  }
}
