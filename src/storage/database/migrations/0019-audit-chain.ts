/** Adds the hash chain of the audit log. Triggers refuse changes of its entries, so existing ones are covered by the head only. */
import { sql, type Transaction } from 'kysely';
import { auditChain, NO_HASH } from '../audit-chain.js';
import type { Tables } from '../tables.js';

export async function addAuditChain(ddl: Transaction<Tables>): Promise<void> {
  await ddl.schema.alterTable('audit').addColumn('hash', 'text').execute();
  await ddl.schema
    .createTable('audit_chain')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('entries', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
  let [entries, last] = [0, NO_HASH];
  for await (const { entry, hash } of auditChain(ddl)) [entries, last] = [entry, hash];
  await sql`insert into audit_chain (id, entries, hash) values (1, ${entries}, ${last})`.execute(ddl);
}
