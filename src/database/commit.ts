/** Acknowledged writes to the database. */
import type { Transaction } from 'kysely';
import type { Db } from './open.js';
import type { Tables } from './tables.js';

/**
 * Runs a transaction whose result a client gets acknowledged. When the promise resolves, the commit is on the disk:
 * SQLite runs with `synchronous = FULL`; PostgreSQL waits for its log, unless `synchronous_commit` is off.
 * Files of acknowledged writes go through `writeDurably`.
 */
export function commitDurably<T>(db: Db, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
  return db.transaction().execute(work);
}
