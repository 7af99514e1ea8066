/** Manifests, their bindings and ingredients, and the catalogue, which lists and searches read. */
import { sql } from 'kysely';
import type { Engine } from '../tables.js';
import { bytesOf, createIndex, type Ddl, withKey } from './ddl.js';

const OF_MANIFEST = 'manifests.key';

export async function createManifests(ddl: Ddl, engine: Engine): Promise<void> {
  await createFiles(ddl, engine);
  for (const table of ['bindings', 'kept_bindings'] as const) await createBindings(ddl, engine, table);
  await createIndex(ddl, 'bindings', ['alg', 'manifest_key']);
  // Finds a binding by its value, which may be too long for an index.
  await sql`create index bindings_value_start on bindings (substr(value, 1, 32))`.execute(ddl);
  // Finds bindings that publishers added.
  await sql`create index bindings_added on bindings (added, alg) where added is not null`.execute(ddl);
  await ddl.schema
    .createTable('binding_counts')
    .addColumn('alg', 'text', (column) => column.primaryKey())
    .addColumn('bindings', 'integer', (column) => column.notNull())
    .execute();
  await createIngredients(ddl);
  await createCatalogue(ddl);
  await copyFlags(ddl, engine);
}

async function createFiles(ddl: Ddl, engine: Engine): Promise<void> {
  await withKey(ddl.schema.createTable('manifests'), engine)
    .addColumn('manifest_id', 'text', (column) => column.notNull().unique())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('uploaded_at', 'bigint', (column) => column.notNull())
    .addColumn('trusted', 'integer', (column) => column.notNull())
    .addColumn('uploader', 'text', (column) => column.notNull())
    .addColumn('publisher', 'text')
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .addColumn('kept_until', 'bigint')
    .addColumn('restored_at', 'bigint')
    .addColumn('displaced_by', 'bigint')
    .addColumn('binding_count', 'integer', (column) => column.notNull())
    .addColumn('unit_count', 'integer', (column) => column.notNull())
    .addColumn('index_version', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('unknown_algorithms', 'text')
    .addColumn('certificate_expires', 'bigint')
    .addColumn('summary', 'text')
    .execute();
  // Lists and counts by flag, newest first. Without the second one, late pages would sort all rows.
  await createIndex(ddl, 'manifests', ['live', 'trusted', 'key']);
  await createIndex(ddl, 'manifests', ['live', 'key']);
  await createIndex(ddl, 'manifests', ['publisher', 'live', 'key']);
  // Finds the live row of a file.
  await createIndex(ddl, 'manifests', ['sha256', 'live']);
  // Finds manifests to index again.
  await createIndex(ddl, 'manifests', ['live', 'index_version', 'key']);
  // Finds trusted manifests whose certificate has expired.
  await createIndex(ddl, 'manifests', ['certificate_expires']);
  await sql`create index manifests_kept_until on manifests (kept_until) where kept_until is not null`.execute(
    ddl,
  );
}

async function createBindings(ddl: Ddl, engine: Engine, table: 'bindings' | 'kept_bindings'): Promise<void> {
  await ddl.schema
    .createTable(table)
    .addColumn('manifest_key', 'bigint', (column) =>
      column.notNull().references(OF_MANIFEST).onDelete('cascade'),
    )
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('alg', 'text', (column) => column.notNull())
    .addColumn('value', bytesOf(engine), (column) => column.notNull())
    .addColumn('units', 'text')
    .addColumn('alternate', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('added', 'text')
    .addPrimaryKeyConstraint(`${table}_pk`, ['manifest_key', 'ordinal'])
    .execute();
}

async function createIngredients(ddl: Ddl): Promise<void> {
  await ddl.schema
    .createTable('ingredients')
    .addColumn('manifest_key', 'bigint', (column) =>
      column.notNull().references(OF_MANIFEST).onDelete('cascade'),
    )
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('ingredient_id', 'text', (column) => column.notNull())
    .addColumn('relationship', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('ingredients_pk', ['manifest_key', 'ordinal'])
    .execute();
  await createIndex(ddl, 'ingredients', ['ingredient_id']);
}

async function createCatalogue(ddl: Ddl): Promise<void> {
  await ddl.schema
    .createTable('catalogue')
    .addColumn('manifest_key', 'bigint', (column) =>
      column.primaryKey().references(OF_MANIFEST).onDelete('cascade'),
    )
    .addColumn('manifest_id', 'text', (column) => column.notNull())
    .addColumn('uploaded_at', 'bigint', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('trusted', 'integer', (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('signer', 'text', (column) => column.notNull())
    .addColumn('search', 'text', (column) => column.notNull())
    .execute();
  await createIndex(ddl, 'catalogue', ['live', 'manifest_key']);
  await createIndex(ddl, 'catalogue', ['trusted', 'live', 'manifest_key']);
  for (const column of ['manifest_id', 'title', 'signer', 'size', 'uploaded_at'])
    await createIndex(ddl, 'catalogue', [column, 'manifest_key']);
}

/** Triggers copy the two flags that change, whatever part of the program changes them. */
async function copyFlags(ddl: Ddl, engine: Engine): Promise<void> {
  const copy = sql`update catalogue set live = new.live, trusted = new.trusted where manifest_key = new.key`;
  if (engine === 'sqlite') {
    await sql`create trigger manifests_to_catalogue after update of live, trusted on manifests
      when old.live <> new.live or old.trusted <> new.trusted begin ${copy}; end`.execute(ddl);
    return;
  }
  await sql`create function manifests_to_catalogue() returns trigger language plpgsql as $$
    begin ${copy}; return null; end $$`.execute(ddl);
  await sql`create trigger manifests_to_catalogue after update of live, trusted on manifests
    for each row when (old.live <> new.live or old.trusted <> new.trusted)
    execute function manifests_to_catalogue()`.execute(ddl);
}
