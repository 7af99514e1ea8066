/** Adds upload tokens, the publisher of a manifest, and the trace of a manifest whose id a trusted signer took. */
import type { Transaction } from 'kysely';
import type { Engine, Tables } from '../tables.js';

export async function addPublishers(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
  const isSqlite = engine === 'sqlite';
  await ddl.schema
    .createTable('upload_tokens')
    .addColumn('key', isSqlite ? 'integer' : 'bigint', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey().generatedAlwaysAsIdentity(),
    )
    .addColumn('publisher', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('used_at', 'bigint')
    .execute();
  await ddl.schema.createIndex('upload_tokens_publisher').on('upload_tokens').column('publisher').execute();
  const manifests = ddl.schema.alterTable('manifests');
  await manifests.addColumn('publisher', 'text').execute();
  await manifests.addColumn('displaced_by', 'bigint').execute();
  // Lists of a publisher's manifests.
  await ddl.schema
    .createIndex('manifests_publisher_live_key')
    .on('manifests')
    .columns(['publisher', 'live', 'key'])
    .execute();
}
