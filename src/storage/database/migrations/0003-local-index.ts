/** Adds the sync state of the similarity index: its manifests and their ISCC-IDs. */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addLocalIndex(ddl: Transaction<Tables>): Promise<void> {
  // No foreign key: the row stays after its manifest was deleted, until the entry is removed from the index.
  await ddl.schema
    .createTable('local_index')
    .addColumn('manifest_key', 'bigint', (column) => column.primaryKey())
    .addColumn('iscc_id', 'text', (column) => column.notNull())
    .addColumn('declared', 'integer', (column) => column.notNull())
    .addColumn('done', 'integer', (column) => column.notNull())
    .execute();
  // Finds declarations that changed since the last poll.
  await sql`create index declarations_updated_at on declarations (updated_at)`.execute(ddl);
}
