/** PostgreSQL, through the package pg. */
import { Kysely, type Logger, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.js';

const CONNECTIONS_MAX = 10;
const CONNECT_MS_MAX = 10_000;

/** pg returns 64-bit integers as text. Ours are milliseconds, sizes and keys below 2^53, so they become numbers. */
export const postgresTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

/** Connects at the first statement. */
export function openPostgres(url: string, log: Logger = () => {}): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    allowExitOnIdle: true,
    types: postgresTypes,
  });
  // The pool replaces a broken idle connection. Without a listener its error would end the process.
  pool.on('error', () => {});
  // Nor has a connection in use one, between the statements of a transaction.
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log });
}
