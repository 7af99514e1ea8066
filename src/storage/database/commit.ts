/** Acknowledged writes to the database. */
import type { Transaction } from 'kysely';
import { WRITE_MS_MAX } from './session.js';
import type { Db, Tables } from './tables.js';
import { within } from './within.js';

/**
 * Runs a transaction whose result a client gets acknowledged. When the promise resolves, the commit is on the disk:
 * SQLite runs with `synchronous = FULL`; PostgreSQL waits for its log, unless `synchronous_commit` is off.
 * Files of acknowledged writes go through `writeDurably`.
 *
 * @throws {ServerSilent} if it takes too long; whether the transaction was committed is unknown then
 */
export function commitDurably<T>(db: Db, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
  return within(WRITE_MS_MAX, db.transaction().execute(work));
}
