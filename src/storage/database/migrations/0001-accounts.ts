/** Accounts of the dashboard, tokens of publishers, and the audit log. */
import { NO_HASH } from '../audit-chain.js';
import type { Engine } from '../tables.js';
import { createIndex, type Ddl, refuseChanges, withKey } from './ddl.js';

const REFUSAL = 'the audit log is append-only';

export async function createAccounts(ddl: Ddl, engine: Engine): Promise<void> {
  await withKey(ddl.schema.createTable('accounts'), engine)
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull().defaultTo('viewer'))
    .addColumn('disabled', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_login', 'bigint')
    .addColumn('totp_nonce', 'text')
    .addColumn('totp_pending', 'text')
    .addColumn('totp_step', 'bigint')
    .execute();
  await createSessions(ddl);
  await createFailures(ddl);
  await createTokens(ddl, engine);
  await createAudit(ddl, engine);
}

async function createSessions(ddl: Ddl): Promise<void> {
  await ddl.schema
    .createTable('sessions')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('account_key', 'bigint', (column) =>
      column.notNull().references('accounts.key').onDelete('cascade'),
    )
    .addColumn('csrf', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('flash', 'text')
    .addColumn('origin', 'text')
    .addColumn('browser', 'text')
    .execute();
  await createIndex(ddl, 'sessions', ['expires_at']);
  await createIndex(ddl, 'sessions', ['account_key']);
}

async function createFailures(ddl: Ddl): Promise<void> {
  await ddl.schema
    .createTable('login_failures')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('locked_until', 'bigint', (column) => column.notNull())
    .addColumn('failed_at', 'bigint', (column) => column.notNull())
    .execute();
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

async function createTokens(ddl: Ddl, engine: Engine): Promise<void> {
  await withKey(ddl.schema.createTable('upload_tokens'), engine)
    .addColumn('publisher', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('used_at', 'bigint')
    .execute();
  await createIndex(ddl, 'upload_tokens', ['publisher']);
}

/** Triggers refuse every change of its rows, so that no path of this program can rewrite it. */
async function createAudit(ddl: Ddl, engine: Engine): Promise<void> {
  await withKey(ddl.schema.createTable('audit'), engine)
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor_kind', 'text', (column) => column.notNull())
    .addColumn('actor', 'text')
    .addColumn('origin', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('state_before', 'text')
    .addColumn('state_after', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
  for (const column of ['action', 'actor', 'subject']) await createIndex(ddl, 'audit', [column, 'key']);
  await createIndex(ddl, 'audit', ['at']);
  await refuseChanges(ddl, engine, 'audit', REFUSAL);
  await ddl.schema
    .createTable('audit_chain')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('entries', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
  await ddl.insertInto('audit_chain').values({ id: 1, entries: 0, hash: NO_HASH }).execute();
}
