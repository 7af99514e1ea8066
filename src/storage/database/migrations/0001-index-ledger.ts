/** The change feed, and what similarity indexes have of it. */
import { sql } from 'kysely';
import type { Engine } from '../tables.js';
import type { Ddl } from './ddl.js';

export async function createIndexLedger(ddl: Ddl, engine: Engine): Promise<void> {
  await createFeed(ddl, engine);
  await ddl.schema
    .createTable('index_ledger')
    .addColumn('index_id', 'text', (column) => column.primaryKey())
    .addColumn('sequence', 'bigint')
    .addColumn('tag', 'text')
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

async function createFeed(ddl: Ddl, engine: Engine): Promise<void> {
  await ddl.schema
    .createTable('feed')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('forgotten', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await ddl.insertInto('feed').values({ id: 1, sequence: 0 }).execute();
  const random = engine === 'sqlite' ? sql`(lower(hex(randomblob(16))))` : sql`gen_random_uuid()::text`;
  await ddl.schema
    .createTable('changes')
    .addColumn('sequence', 'bigint', (column) => column.primaryKey())
    .addColumn('manifest_key', 'bigint', (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('tag', 'text', (column) => column.notNull().defaultTo(random))
    .execute();
}
