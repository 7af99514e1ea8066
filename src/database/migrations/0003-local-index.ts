/** Which manifests the similarity index beside the store knows, and under which ISCC-ID. */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addLocalIndex(ddl: Transaction<Tables>): Promise<void> {
  // No reference: a row outlives its manifest until the index has forgotten it.
  await ddl.schema
    .createTable('local_index')
    .addColumn('manifest_key', 'bigint', (column) => column.primaryKey())
    .addColumn('iscc_id', 'text', (column) => column.notNull())
    .addColumn('declared', 'integer', (column) => column.notNull())
    .addColumn('done', 'integer', (column) => column.notNull())
    .execute();
  // What declarations became since somebody looked.
  await sql`create index declarations_updated_at on declarations (updated_at)`.execute(ddl);
}
