/** How far the changes are forgotten: who has not followed that far has to read everything anew. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addForgottenChanges(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema
    .alterTable('feed')
    .addColumn('forgotten', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
