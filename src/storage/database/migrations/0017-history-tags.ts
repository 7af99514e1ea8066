/**
 * Adds a random tag per change. By it, a process notices that the database has lost changes, also if others have their
 * numbers. The database makes the tags, so that changes by programs of earlier versions have one, too.
 */
import { sql, type Transaction } from 'kysely';
import type { Engine, Tables } from '../tables.js';

export async function addHistoryTags(ddl: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') await tagInSqlite(ddl);
  // A default that differs per row: PostgreSQL sets it in the existing rows.
  else await sql`alter table changes add column tag text default gen_random_uuid()::text`.execute(ddl);
  const books = ddl.schema.alterTable('index_books');
  await books.addColumn('tag', 'text').execute();
  // Not used: a tag that is not that of the position's change shows that the position is of another history.
  await books.addColumn('tag_sequence', 'bigint').execute();
}

/** SQLite allows only constants as defaults of added columns. */
async function tagInSqlite(ddl: Transaction<Tables>): Promise<void> {
  const tag = sql`lower(hex(randomblob(16)))`;
  await sql`alter table changes add column tag text`.execute(ddl);
  await sql`update changes set tag = ${tag}`.execute(ddl);
  await sql`create trigger changes_tag after insert on changes when new.tag is null
    begin update changes set tag = ${tag} where sequence = new.sequence; end`.execute(ddl);
}
