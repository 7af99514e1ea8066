/** Ordered feed of changes. Every process reads it to keep its binding index current. Design: docs/design/change-feed.md. */
import type { Transaction } from 'kysely';
import type { Db } from '../database/open.js';
import type { ChangeTable, Flag, Tables } from '../database/tables.js';

/** Changes per delete statement, so that one takes milliseconds. */
const CHANGES_PER_DELETE = 10_000;

/**
 * Locks the feed until the transaction ends: no other transaction can store or delete a manifest.
 *
 * @returns the last of `count` sequence numbers reserved for changes
 */
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
 * Records that manifests were stored or deleted.
 *
 * @param last number that {@link lockFeed} returned for at least as many changes in this transaction
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

/** Changes in order, and the number up to which they are complete. */
export interface Changes {
  readonly changes: readonly ChangeTable[];
  readonly upTo: number;
}

/**
 * Reads changes after `sequence`. They become visible in the order of their numbers, because {@link lockFeed} assigns
 * the numbers under a lock.
 *
 * @returns `truncated` if some of the requested changes may have been deleted
 */
export async function changesAfter(db: Db, sequence: number, limit: number): Promise<Changes | 'truncated'> {
  const upTo = await lastChange(db);
  // The common case: nothing new, found by reading one row.
  if (upTo === sequence) return { changes: [], upTo };
  const changes = await db
    .selectFrom('changes')
    .selectAll()
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  // Checked after the read, so that a deletion during the read is noticed.
  const { forgotten } = await feed(db);
  if (forgotten > sequence) return 'truncated';
  const last = changes.at(-1)?.sequence ?? sequence;
  return { changes, upTo: changes.length < limit ? Math.max(last, upTo) : last };
}

export async function lastChange(db: Db): Promise<number> {
  return (await feed(db)).sequence;
}

/** Deletes all but the last `kept` changes. A process that is further behind has to reload its index. */
export async function truncateFeed(db: Db, kept: number): Promise<void> {
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
