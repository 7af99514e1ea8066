/** Adds what a restore of a deleted manifest needs: the end of the time for it, and the bindings. */
import { sql, type Transaction } from 'kysely';
import type { Engine, Tables } from '../tables.js';

export async function addUndo(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
  const manifests = ddl.schema.alterTable('manifests');
  await manifests.addColumn('kept_until', 'bigint').execute();
  await manifests.addColumn('restored_at', 'bigint').execute();
  await sql`create index manifests_kept_until on manifests (kept_until) where kept_until is not null`.execute(
    ddl,
  );
  await ddl.schema
    .createTable('kept_bindings')
    .addColumn('manifest_key', 'bigint', (column) =>
      column.notNull().references('manifests.key').onDelete('cascade'),
    )
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('alg', 'text', (column) => column.notNull())
    .addColumn('value', engine === 'sqlite' ? 'blob' : 'bytea', (column) => column.notNull())
    .addColumn('units', 'text')
    .addColumn('alternate', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('kept_bindings_pk', ['manifest_key', 'ordinal'])
    .execute();
}
