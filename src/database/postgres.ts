/** PostgreSQL through pg. */
import { Kysely, type Logger, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.js';

const CONNECTIONS_MAX = 10;
const CONNECT_MS_MAX = 10_000;

/** pg gives 64-bit integers as text; ours are milliseconds, sizes and keys, which a number holds. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

/** Connects when the first statement comes. */
export function openPostgres(url: string, log: Logger = () => {}): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    allowExitOnIdle: true,
    types,
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => {});
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log });
}
