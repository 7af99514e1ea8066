/** Declarations of manifests to hubs. */
import type { Engine } from '../tables.js';
import { createIndex, type Ddl, withKey } from './ddl.js';

export async function createDeclarations(ddl: Ddl, engine: Engine): Promise<void> {
  await withKey(ddl.schema.createTable('declarations'), engine)
    .addColumn('manifest_key', 'bigint', (column) =>
      column.unique().references('manifests.key').onDelete('set null'),
    )
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('hub', 'text')
    .addColumn('hub_id', 'integer')
    .addColumn('pubkey', 'text')
    .addColumn('gateway', 'text', (column) => column.notNull())
    .addColumn('datahash', 'text')
    .addColumn('fields', 'text')
    .addColumn('note', 'text')
    .addColumn('forced', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('uncertainty', 'text')
    .addColumn('iscc_id', 'text')
    .addColumn('error', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('attempted_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('open', 'integer', (column) => column.notNull())
    .addColumn('lease', 'text')
    .addColumn('leased_until', 'bigint')
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('notified', 'text')
    .addUniqueConstraint('declarations_hub_iscc_id', ['hub', 'iscc_id'])
    .execute();
  await createIndex(ddl, 'declarations', ['live', 'status', 'manifest_key']);
  await createIndex(ddl, 'declarations', ['status', 'manifest_key']);
  await createIndex(ddl, 'declarations', ['open', 'attempted_at']);
  // Find other declarations of the same content or the same address.
  await createIndex(ddl, 'declarations', ['datahash']);
  await createIndex(ddl, 'declarations', ['gateway']);
}
