/** Receivers of webhooks, and their outboxes. */
import { CONFIGURED_WEBHOOK } from '../../outbox/tables.js';
import type { Engine } from '../tables.js';
import { createIndex, type Ddl, withKey } from './ddl.js';

export async function createWebhooks(ddl: Ddl, engine: Engine): Promise<void> {
  // The receiver of the configuration has a fixed key.
  await withKey(ddl.schema.createTable('webhooks'), engine, { isGiven: true })
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
  await withKey(ddl.schema.createTable('webhook_events'), engine)
    .addColumn('webhook', 'bigint', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull().unique())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('error', 'text')
    .execute();
  await createIndex(ddl, 'webhook_events', ['webhook', 'next_at', 'key']);
}
