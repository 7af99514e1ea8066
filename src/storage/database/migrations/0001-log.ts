/** The store's transparency log: its entries in order, and its head. */
import type { Engine } from '../tables.js';
import { bytesOf, createIndex, type Ddl, refuseChanges } from './ddl.js';

const REFUSAL = 'the log of the store is append-only';

/** Triggers refuse every change of its entries, so that no path of this program can rewrite them. */
export async function createLog(ddl: Ddl, engine: Engine): Promise<void> {
  await ddl.schema
    .createTable('log_entries')
    // In SQLite, only an integer is the key of the table itself.
    .addColumn('leaf', engine === 'sqlite' ? 'integer' : 'bigint', (column) => column.primaryKey())
    .addColumn('act', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('statement', bytesOf(engine), (column) => column.notNull())
    .addColumn('manifest_key', 'bigint', (column) => column.notNull())
    .addColumn('nodes', bytesOf(engine), (column) => column.notNull())
    .execute();
  // Finds the entry of a manifest.
  await createIndex(ddl, 'log_entries', ['manifest_key']);
  await refuseChanges(ddl, engine, 'log_entries', REFUSAL);
  await ddl.schema
    .createTable('log_head')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('peaks', bytesOf(engine), (column) => column.notNull())
    .execute();
  await ddl
    .insertInto('log_head')
    .values({ id: 1, size: 0, peaks: Buffer.alloc(0) })
    .execute();
}
