/** What the tables of both engines are made with. */
import { type CreateTableBuilder, sql, type Transaction } from 'kysely';
import type { Engine, Tables } from '../tables.js';

export type Ddl = Transaction<Tables>;

/** The type of a column of bytes. */
export function bytesOf(engine: Engine): 'blob' | 'bytea' {
  return engine === 'sqlite' ? 'blob' : 'bytea';
}

/** Adds a key that is never reused. With `isGiven`, a row may be inserted with a key of its own. */
export function withKey(
  table: CreateTableBuilder<string>,
  engine: Engine,
  { isGiven = false } = {},
): CreateTableBuilder<string, 'key'> {
  if (engine === 'sqlite')
    return table.addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement());
  return table.addColumn('key', 'bigint', (column) => {
    const key = column.primaryKey();
    return isGiven ? key.generatedByDefaultAsIdentity() : key.generatedAlwaysAsIdentity();
  });
}

/** Creates an index named after its table and columns. */
export async function createIndex(ddl: Ddl, table: keyof Tables, columns: readonly string[]): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`create index ${sql.id([table, ...columns].join('_'))} on ${sql.table(table)} (${names})`.execute(
    ddl,
  );
}

/** Lets the database refuse updates and deletes of a table's rows, with this message. */
export async function refuseChanges(
  ddl: Ddl,
  engine: Engine,
  table: keyof Tables,
  message: string,
): Promise<void> {
  if (engine === 'sqlite') {
    for (const change of ['update', 'delete']) {
      await sql`create trigger ${sql.id(`${table}_no_${change}`)} before ${sql.raw(change)} on ${sql.table(table)}
        begin select raise(abort, ${sql.lit(message)}); end`.execute(ddl);
    }
    return;
  }
  const refusal = sql.id(`${table}_refuse_change`);
  await sql`create function ${refusal}() returns trigger language plpgsql as $$
    begin raise exception ${sql.lit(message)}; end $$`.execute(ddl);
  await sql`create trigger ${sql.id(`${table}_no_change`)} before update or delete or truncate on ${sql.table(table)}
    for each statement execute function ${refusal}()`.execute(ddl);
}
