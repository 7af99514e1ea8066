/** Replaces the permission to delete by roles, and adds failed logins per account. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addRoles(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema
    .alterTable('accounts')
    .addColumn('role', 'text', (column) => column.notNull().defaultTo('viewer'))
    .execute();
  // Accounts keep their rights.
  await ddl
    .updateTable('accounts')
    .set({ role: 'deleter' })
    .where('can_delete' as 'disabled', '=', 1)
    .execute();
  await ddl.schema.alterTable('accounts').dropColumn('can_delete').execute();
  await ddl.schema
    .createTable('login_failures')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('locked_until', 'bigint', (column) => column.notNull())
    .addColumn('failed_at', 'bigint', (column) => column.notNull())
    .execute();
}
