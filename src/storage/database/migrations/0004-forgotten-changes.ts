/** Adds the number of the last deleted change. A process that is behind it has to reload its index. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addForgottenChanges(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema
    .alterTable('feed')
    .addColumn('forgotten', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
