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
