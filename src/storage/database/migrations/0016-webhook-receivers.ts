/** Adds receivers of webhooks that admins register, each with its own outbox, lease and last outcome. */
import type { Transaction } from 'kysely';
import { CONFIGURED_WEBHOOK } from '../../outbox/tables.js';
import type { Engine, Tables } from '../tables.js';

export async function addWebhookReceivers(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
  const isSqlite = engine === 'sqlite';
  await ddl.schema
    .createTable('webhooks')
    .addColumn('key', isSqlite ? 'integer' : 'bigint', (column) =>
      // By default: the receiver of the configuration has a fixed key.
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
    )
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('types', 'text', (column) => column.notNull())
    .addColumn('nonce', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('delivered', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('delivered_at', 'bigint')
    .addColumn('failed', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('failed_at', 'bigint')
    .addColumn('error', 'text')
    .addColumn('leader', 'text')
    .addColumn('leased_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  const configured = { key: CONFIGURED_WEBHOOK, url: '', types: '', nonce: '', created_at: Date.now() };
  await ddl.insertInto('webhooks').values(configured).execute();
  await ddl.schema.dropTable('webhook_sender').execute();
  await ddl.schema
    .alterTable('webhook_events')
    .addColumn('webhook', 'bigint', (column) => column.notNull().defaultTo(CONFIGURED_WEBHOOK))
    .execute();
  await ddl.schema.dropIndex('webhook_events_next_at').execute();
  await ddl.schema
    .createIndex('webhook_events_webhook_next_at')
    .on('webhook_events')
    .columns(['webhook', 'next_at', 'key'])
    .execute();
}
