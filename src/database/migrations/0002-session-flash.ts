/** A message for a session's next page, so that it does not have to stand in an address. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addSessionFlash(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema.alterTable('sessions').addColumn('flash', 'text').execute();
}
