/** Adds the audit log. Triggers refuse every change of its rows, so that no path of this program can rewrite it. */
import { sql, type Transaction } from 'kysely';
import type { Engine, Tables } from '../tables.js';

const REFUSAL = 'the audit log is append-only';

export async function addAuditLog(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
  const isSqlite = engine === 'sqlite';
  await ddl.schema
    .createTable('audit')
    .addColumn('key', isSqlite ? 'integer' : 'bigint', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey().generatedAlwaysAsIdentity(),
    )
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor_kind', 'text', (column) => column.notNull())
    .addColumn('actor', 'text')
    .addColumn('origin', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('state_before', 'text')
    .addColumn('state_after', 'text')
    .execute();
  for (const column of ['action', 'actor', 'subject'] as const) {
    await sql`create index ${sql.id(`audit_${column}_key`)} on audit (${sql.ref(column)}, key)`.execute(ddl);
  }
  await sql`create index audit_at on audit (at)`.execute(ddl);
  if (isSqlite) await refuseInSqlite(ddl);
  else await refuseInPostgres(ddl);
}

async function refuseInSqlite(ddl: Transaction<Tables>): Promise<void> {
  for (const change of ['update', 'delete']) {
    await sql`create trigger ${sql.id(`audit_no_${change}`)} before ${sql.raw(change)} on audit
      begin select raise(abort, ${sql.lit(REFUSAL)}); end`.execute(ddl);
  }
}

async function refuseInPostgres(ddl: Transaction<Tables>): Promise<void> {
  await sql`create function audit_refuse_change() returns trigger language plpgsql as $$
    begin raise exception ${sql.lit(REFUSAL)}; end $$`.execute(ddl);
  await sql`create trigger audit_no_change before update or delete or truncate on audit
    for each statement execute function audit_refuse_change()`.execute(ddl);
}
