/** Adds the message for a session's next page, so that the URL need not carry it. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addSessionFlash(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema.alterTable('sessions').addColumn('flash', 'text').execute();
}
