/** Adds further readings of one soft binding, and the version of the rules by which a manifest's bindings were indexed. */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addBindingReadings(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema
    .alterTable('bindings')
    .addColumn('alternate', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await ddl.schema
    .alterTable('manifests')
    .addColumn('index_version', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // Finds manifests to index again.
  await sql`create index manifests_live_index_version on manifests (live, index_version, key)`.execute(ddl);
}
