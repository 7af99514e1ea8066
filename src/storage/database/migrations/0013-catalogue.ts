/** Adds the catalogue, which lists and searches read: narrow rows with title and signer, and the ingredients. */
import { sql, type Transaction } from 'kysely';
import { fillCatalogue } from '../catalogue.js';
import type { Engine, Tables } from '../tables.js';

const BATCH_MANIFESTS = 500;

export async function addCatalogue(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
  await createTables(ddl);
  const indexes = [
    ['live', 'manifest_key'],
    ['trusted', 'live', 'manifest_key'],
    ...['manifest_id', 'title', 'signer', 'size', 'uploaded_at'].map((column) => [column, 'manifest_key']),
  ];
  for (const columns of indexes) {
    const names = sql.join(columns.map((column) => sql.ref(column)));
    await sql`create index ${sql.id(['catalogue', ...columns].join('_'))} on catalogue (${names})`.execute(
      ddl,
    );
  }
  await sql`create index ingredients_ingredient_id on ingredients (ingredient_id)`.execute(ddl);
  await sql`create index bindings_alg_manifest_key on bindings (alg, manifest_key)`.execute(ddl);
  // Finds a binding by its value, which may be too long for an index.
  await sql`create index bindings_value_start on bindings (substr(value, 1, 32))`.execute(ddl);
  await copyFlags(ddl, engine);
  for (let after = 0; ; ) {
    const rows = await ddl
      .selectFrom('manifests')
      .select('key')
      .where('key', '>', after)
      .orderBy('key')
      .limit(BATCH_MANIFESTS)
      .execute();
    if (rows.length === 0) return;
    after = rows.at(-1)?.key ?? after;
    await fillCatalogue(
      ddl,
      rows.map(({ key }) => key),
    );
  }
}

async function createTables(ddl: Transaction<Tables>): Promise<void> {
  const ofManifest = 'manifests.key';
  await ddl.schema
    .createTable('catalogue')
    .addColumn('manifest_key', 'bigint', (column) =>
      column.primaryKey().references(ofManifest).onDelete('cascade'),
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
  await ddl.schema
    .createTable('ingredients')
    .addColumn('manifest_key', 'bigint', (column) =>
      column.notNull().references(ofManifest).onDelete('cascade'),
    )
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('ingredient_id', 'text', (column) => column.notNull())
    .addColumn('relationship', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('ingredients_pk', ['manifest_key', 'ordinal'])
    .execute();
}

/** Triggers copy the two flags that change, whatever part of the program changes them. */
async function copyFlags(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
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
