/** Backups of a PostgreSQL database, and another database in its place, as after a restore or a failover. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect } from 'vitest';
import { POSTGRES_BIN } from './postgres.js';

const run = promisify(execFile);

export async function query(database: string, statement: string, parameters?: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(statement, parameters);
  } finally {
    await client.end();
  }
}

export const nameOf = (database: string) => new URL(database).pathname.slice(1);

/** Runs a statement in another database of the server, for those that no connection to `database` may see. */
export function administrate(database: string, statement: string): Promise<void> {
  const url = new URL(database);
  url.pathname = '/postgres';
  return query(url.href, statement);
}

export async function dump(database: string, file: string): Promise<string> {
  await run(path.join(POSTGRES_BIN, 'pg_dump'), ['-Fc', '-f', file, database]);
  return file;
}

export function restore(file: string, database: string): Promise<unknown> {
  return run(path.join(POSTGRES_BIN, 'pg_restore'), ['-d', database, file]);
}

/** Puts the database `other` in the place of `database`, and ends all connections to both. */
export async function exchange(database: string, other: string): Promise<void> {
  const [present, next] = [nameOf(database), nameOf(other)];
  await administrate(database, `alter database ${present} allow_connections false`);
  await administrate(
    database,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname in ('${present}', '${next}')`,
  );
  const isFree = () =>
    administrate(database, `alter database ${present} rename to ${present}_old`).then(
      () => true,
      () => false,
    );
  await expect.poll(isFree, { timeout: 20_000 }).toBe(true);
  await administrate(database, `alter database ${next} rename to ${present}`);
}
