/** Adds what a session began with, second factors of accounts, and counts of failed logins per day. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addOwnAccounts(ddl: Transaction<Tables>): Promise<void> {
  for (const column of ['origin', 'browser'])
    await ddl.schema.alterTable('sessions').addColumn(column, 'text').execute();
  for (const column of ['totp_nonce', 'totp_pending'])
    await ddl.schema.alterTable('accounts').addColumn(column, 'text').execute();
  await ddl.schema.alterTable('accounts').addColumn('totp_step', 'bigint').execute();
  await ddl.schema
    .createTable('failed_logins')
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('refused', 'bigint', (column) => column.notNull())
    .addColumn('first_at', 'bigint', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addColumn('origin', 'text')
    .addPrimaryKeyConstraint('failed_logins_pk', ['day', 'account'])
    .execute();
}
