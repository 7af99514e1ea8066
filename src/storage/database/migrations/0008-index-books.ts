/** Adds books per similarity index: the position in the change feed, the process that feeds it, and its entries. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

/** The table `local_index` stays: a local index that has no books yet starts with its rows. */
export async function addIndexBooks(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema
    .createTable('index_books')
    .addColumn('index_id', 'text', (column) => column.primaryKey())
    .addColumn('sequence', 'bigint')
    .addColumn('polled_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('leader', 'text')
    .addColumn('leased_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('synced_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('error', 'text')
    .execute();
  // No foreign key: the row stays after its manifest was deleted, until the entry is removed from the index.
  await ddl.schema
    .createTable('index_entries')
    .addColumn('index_id', 'text', (column) => column.notNull())
    .addColumn('manifest_key', 'bigint', (column) => column.notNull())
    .addColumn('iscc_id', 'text', (column) => column.notNull())
    .addColumn('declared', 'integer', (column) => column.notNull())
    .addColumn('state', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('index_entries_key', ['index_id', 'manifest_key'])
    .execute();
}
