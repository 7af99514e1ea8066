/** The order of changes: every process follows it to keep its index of bindings current. */
import type { Transaction } from 'kysely';
import type { Db } from '../database/open.js';
import type { ChangeTable, Flag, Tables } from '../database/tables.js';

/** So many that a delete takes milliseconds. */
const CHANGES_PER_DELETE = 10_000;

/** Until the transaction ends no other can change what is live. Gives the last of `count` numbers for changes. */
export async function lockFeed(transaction: Transaction<Tables>, count = 1): Promise<number> {
  const { sequence } = await transaction
    .updateTable('feed')
    .set((expression) => ({ sequence: expression('sequence', '+', count) }))
    .where('id', '=', 1)
    .returning('sequence')
    .executeTakeFirstOrThrow();
  return sequence;
}

/**
 * Tells all processes that bindings of manifests came or went.
 *
 * @param last number that {@link lockFeed} gave for at least as many changes in this transaction
 */
export async function recordChanges(
  transaction: Transaction<Tables>,
  last: number,
  keys: readonly number[],
  live: Flag,
): Promise<void> {
  const changes = keys.map((manifest_key, at) => ({ sequence: last - at, manifest_key, live }));
  await transaction.insertInto('changes').values(changes).execute();
}

/** Changes in their order, and the number up to which there are no others. */
export interface Changes {
  readonly changes: readonly ChangeTable[];
  readonly upTo: number;
}

/**
 * Changes with a higher number become visible later, never earlier: their numbers are given under a lock.
 *
 * @returns `forgotten` if some of those that are asked for may be there no more
 */
export async function changesAfter(db: Db, sequence: number, limit: number): Promise<Changes | 'forgotten'> {
  const upTo = await lastChange(db);
  // As a rule there is nothing new, and one row tells.
  if (upTo === sequence) return { changes: [], upTo };
  const changes = await db
    .selectFrom('changes')
    .selectAll()
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  // After the reading: before it, they might be forgotten in between.
  const { forgotten } = await feed(db);
  if (forgotten > sequence) return 'forgotten';
  const last = changes.at(-1)?.sequence ?? sequence;
  return { changes, upTo: changes.length < limit ? Math.max(last, upTo) : last };
}

export async function lastChange(db: Db): Promise<number> {
  return (await feed(db)).sequence;
}

/** Forgets all but the last changes; who was away for longer has to load everything anew. */
export async function forgetChanges(db: Db, kept: number): Promise<void> {
  for (;;) {
    const { sequence, forgotten } = await feed(db);
    if (forgotten >= sequence - kept) return;
    const last = Math.min(forgotten + CHANGES_PER_DELETE, sequence - kept);
    await db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('feed')
        .set({ forgotten: last })
        .where('id', '=', 1)
        .where('forgotten', '<', last)
        .execute();
      await transaction.deleteFrom('changes').where('sequence', '<=', last).execute();
    });
  }
}

function feed(db: Db): Promise<{ sequence: number; forgotten: number }> {
  return db.selectFrom('feed').select(['sequence', 'forgotten']).executeTakeFirstOrThrow();
}
