/** Adds the outbox of webhook events, the lease of the process that sends them, and what was sent of a declaration. */
import { sql, type Transaction } from 'kysely';
import type { Engine, Tables } from '../tables.js';

export async function addWebhooks(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
  const isSqlite = engine === 'sqlite';
  await ddl.schema
    .createTable('webhook_events')
    .addColumn('key', isSqlite ? 'integer' : 'bigint', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey().generatedAlwaysAsIdentity(),
    )
    .addColumn('event_id', 'text', (column) => column.notNull().unique())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('error', 'text')
    .execute();
  await ddl.schema
    .createIndex('webhook_events_next_at')
    .on('webhook_events')
    .columns(['next_at', 'key'])
    .execute();
  await ddl.schema
    .createTable('webhook_sender')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('leader', 'text')
    .addColumn('leased_until', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into webhook_sender (id, leased_until) values (1, 0)`.execute(ddl);
  await ddl.schema.alterTable('declarations').addColumn('notified', 'text').execute();
}
