/** The order of changes: every process follows it to keep its index of bindings current. */
import type { Transaction } from 'kysely';
import type { Db } from '../database/open.js';
import type { ChangeTable, Flag, Tables } from '../database/tables.js';

/** Until the transaction ends no other can change what is live. Gives the number of this change. */
export async function lockFeed(transaction: Transaction<Tables>): Promise<number> {
  const { sequence } = await transaction
    .updateTable('feed')
    .set((expression) => ({ sequence: expression('sequence', '+', 1) }))
    .where('id', '=', 1)
    .returning('sequence')
    .executeTakeFirstOrThrow();
  return sequence;
}

/** Tells all processes that a manifest's bindings came or went. */
export async function recordChange(
  transaction: Transaction<Tables>,
  key: number,
  live: Flag,
): Promise<number> {
  const sequence = await lockFeed(transaction);
  await transaction.insertInto('changes').values({ sequence, manifest_key: key, live }).execute();
  return sequence;
}

/** Changes with a higher number become visible later, never earlier: their numbers are given under a lock. */
export function changesAfter(db: Db, sequence: number, limit: number): Promise<ChangeTable[]> {
  return db
    .selectFrom('changes')
    .selectAll()
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
}

export async function lastChange(db: Db): Promise<number> {
  const { sequence } = await db.selectFrom('feed').select('sequence').executeTakeFirstOrThrow();
  return sequence;
}
