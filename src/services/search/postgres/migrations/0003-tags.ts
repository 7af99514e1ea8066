/**
 * A random tag per change, by which a cache notices that the database was restored. The database makes the tags of changes
 * by older programs, which leave the column out.
 */
import { sql, type Transaction } from 'kysely';
import type { SearchTables } from '../tables.js';

const STATEMENTS = [
  // Waits for the transactions of writers, which begin with this lock. They would otherwise wait for this one in turn.
  `update feed set sequence = sequence where id = 1`,
  `create table index_tags (
    index_id bigint primary key references indexes on delete cascade,
    sequence bigint not null,
    tag uuid not null
  )`,
  // In two steps, so that existing rows are not written again.
  `alter table changes add column tag uuid`,
  `alter table changes alter column tag set default gen_random_uuid()`,
  `update changes set tag = gen_random_uuid()
    where sequence in (select changed from indexes union select sequence from feed)`,
  `insert into index_tags (index_id, sequence, tag)
    select i.id, i.changed, coalesce(c.tag, gen_random_uuid())
    from indexes i left join changes c on c.sequence = i.changed`,
];

export async function createTags(transaction: Transaction<SearchTables>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
}
