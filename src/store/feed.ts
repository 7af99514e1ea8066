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

/** Changes in their order; `forgotten` if some of those that were asked for are there no more. */
export type Changes = readonly ChangeTable[] | 'forgotten';

/** Changes with a higher number become visible later, never earlier: their numbers are given under a lock. */
export async function changesAfter(db: Db, sequence: number, limit: number): Promise<Changes> {
  // In one statement, so that nothing is forgotten between the question whether it is and the reading.
  const rows = await db
    .selectFrom('feed as f')
    .leftJoin('changes as c', (join) => join.on('c.sequence', '>', sequence))
    .select(['f.forgotten', 'c.sequence', 'c.manifest_key', 'c.live'])
    .orderBy('c.sequence')
    .limit(limit)
    .execute();
  if (rows.some(({ forgotten }) => forgotten > sequence)) return 'forgotten';
  return rows.flatMap(({ sequence, manifest_key, live }) =>
    sequence === null || manifest_key === null || live === null ? [] : [{ sequence, manifest_key, live }],
  );
}

export async function lastChange(db: Db): Promise<number> {
  const { sequence } = await db.selectFrom('feed').select('sequence').executeTakeFirstOrThrow();
  return sequence;
}

/** Forgets all but the last changes; who was away for longer has to load everything anew. */
export async function forgetChanges(db: Db, kept: number): Promise<void> {
  for (;;) {
    const { sequence, forgotten } = await db
      .selectFrom('feed')
      .select(['sequence', 'forgotten'])
      .executeTakeFirstOrThrow();
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
