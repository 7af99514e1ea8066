/** Adds the id that the database shares with the data folder of the same installation. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addInstallation(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema
    .createTable('installation')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .execute();
}
