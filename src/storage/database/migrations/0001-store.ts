/** The tables of the manifest store and its dashboard. */
import { type CreateTableBuilder, sql, type Transaction } from 'kysely';
import type { Engine, Tables } from '../tables.js';

type Ddl = Transaction<Tables>;

export async function createStore(ddl: Ddl, engine: Engine): Promise<void> {
  await createManifests(ddl, engine);
  await createDeclarations(ddl, engine);
  await createFeed(ddl);
  await createAccounts(ddl, engine);
}

/** Adds a key that is never reused. */
function withKey(table: CreateTableBuilder<string>, engine: Engine): CreateTableBuilder<string, 'key'> {
  if (engine === 'sqlite') {
    return table.addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement());
  }
  return table.addColumn('key', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity());
}

async function createManifests(ddl: Ddl, engine: Engine): Promise<void> {
  await withKey(ddl.schema.createTable('manifests'), engine)
    .addColumn('manifest_id', 'text', (column) => column.notNull().unique())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('uploaded_at', 'bigint', (column) => column.notNull())
    .addColumn('trusted', 'integer', (column) => column.notNull())
    .addColumn('uploader', 'text', (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .addColumn('binding_count', 'integer', (column) => column.notNull())
    .addColumn('unit_count', 'integer', (column) => column.notNull())
    .execute();
  // Lists and counts by flag, newest first.
  await index(ddl, 'manifests', ['live', 'trusted', 'key']);
  // Finds the live row of a file.
  await index(ddl, 'manifests', ['sha256', 'live']);
  await ddl.schema
    .createTable('bindings')
    .addColumn('manifest_key', 'bigint', (column) =>
      column.notNull().references('manifests.key').onDelete('cascade'),
    )
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('alg', 'text', (column) => column.notNull())
    .addColumn('value', engine === 'sqlite' ? 'blob' : 'bytea', (column) => column.notNull())
    .addColumn('units', 'text')
    .addPrimaryKeyConstraint('bindings_pk', ['manifest_key', 'ordinal'])
    .execute();
  await ddl.schema
    .createTable('binding_counts')
    .addColumn('alg', 'text', (column) => column.primaryKey())
    .addColumn('bindings', 'integer', (column) => column.notNull())
    .execute();
}

async function createDeclarations(ddl: Ddl, engine: Engine): Promise<void> {
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
    .addColumn('doubt', 'text')
    .addColumn('iscc_id', 'text')
    .addColumn('error', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('attempted_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('open', 'integer', (column) => column.notNull())
    .addColumn('lease', 'text')
    .addColumn('leased_until', 'bigint')
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('declarations_hub_iscc_id', ['hub', 'iscc_id'])
    .execute();
  await index(ddl, 'declarations', ['live', 'status', 'manifest_key']);
  await index(ddl, 'declarations', ['status', 'manifest_key']);
  await index(ddl, 'declarations', ['open', 'attempted_at']);
  // Find other declarations of the same content or the same address.
  await index(ddl, 'declarations', ['datahash']);
  await index(ddl, 'declarations', ['gateway']);
}

async function createFeed(ddl: Ddl): Promise<void> {
  await ddl.schema
    .createTable('feed')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .execute();
  await ddl.insertInto('feed').values({ id: 1, sequence: 0 }).execute();
  await ddl.schema
    .createTable('changes')
    .addColumn('sequence', 'bigint', (column) => column.primaryKey())
    .addColumn('manifest_key', 'bigint', (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .execute();
}

async function createAccounts(ddl: Ddl, engine: Engine): Promise<void> {
  await withKey(ddl.schema.createTable('accounts'), engine)
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('can_delete', 'integer', (column) => column.notNull())
    .addColumn('disabled', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_login', 'bigint')
    .execute();
  await ddl.schema
    .createTable('sessions')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('account_key', 'bigint', (column) =>
      column.notNull().references('accounts.key').onDelete('cascade'),
    )
    .addColumn('csrf', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await index(ddl, 'sessions', ['expires_at']);
  await index(ddl, 'sessions', ['account_key']);
}

/** Creates an index named after its table and columns. */
async function index(ddl: Ddl, table: keyof Tables, columns: readonly string[]): Promise<void> {
  await sql`create index ${sql.id([table, ...columns].join('_'))} on ${sql.table(table)} (${sql.join(
    columns.map((column) => sql.ref(column)),
  )})`.execute(ddl);
}
