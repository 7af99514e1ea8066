/**
 * Ordered feed of numbered changes in a database. Processes read it to keep what they derived from the database current.
 * Design: docs/design/change-feed.md.
 */
import type { Generated, Kysely, Selectable, Transaction } from 'kysely';

/** A single row. Its lock orders all writers, so that changes become visible in the order of their numbers. */
export interface FeedTable {
  id: number;
  sequence: number;
  /** Number of the last change that was deleted from the table of changes. */
  forgotten: Generated<number>;
}

/** The tables of a feed. Those of a user of this module have further columns. */
export interface FeedTables<Change extends NumberedChange = NumberedChange> {
  feed: FeedTable;
  changes: Change;
}

export interface NumberedChange {
  sequence: number;
}

/** Changes per delete statement, so that one takes milliseconds. */
const CHANGES_PER_DELETE = 10_000;

/** Changes in order, and the number up to which they are complete. */
export interface Changes<Change> {
  readonly changes: readonly Change[];
  readonly upTo: number;
}

/**
 * Locks the feed until the transaction ends: no other transaction can record changes.
 *
 * @returns the last of `count` sequence numbers reserved for changes
 */
export async function lockFeed<Tables extends FeedTables>(
  transaction: Transaction<Tables>,
  count = 1,
): Promise<number> {
  const { sequence } = await tables(transaction)
    .updateTable('feed')
    .set((expression) => ({ sequence: expression('sequence', '+', count) }))
    .where('id', '=', 1)
    .returning('sequence')
    .executeTakeFirstOrThrow();
  return sequence;
}

/** Takes the lock of {@link lockFeed} without a number: other transactions that change anything wait for the end of this one. */
export async function holdFeed<Tables extends FeedTables>(transaction: Transaction<Tables>): Promise<void> {
  await tables(transaction)
    .updateTable('feed')
    .set((expression) => ({ sequence: expression.ref('sequence') }))
    .where('id', '=', 1)
    .execute();
}

/**
 * Reads changes after `sequence`. They become visible in the order of their numbers, because {@link lockFeed} assigns
 * the numbers under a lock.
 *
 * @param columns of the changes to read, with `sequence`; all by default
 * @returns `truncated` if some of the requested changes may have been deleted, or the database has lost its last changes
 */
export async function changesAfter<Tables extends FeedTables>(
  db: Kysely<Tables>,
  sequence: number,
  limit: number,
  columns?: readonly (keyof Tables['changes'] & string)[],
): Promise<Changes<Selectable<Tables['changes']>> | 'truncated'> {
  const upTo = await lastChange(db);
  // The common case: nothing new, found by reading one row.
  if (upTo === sequence) return { changes: [], upTo };
  // The database was restored from a backup, or a standby without the last changes took over.
  if (upTo < sequence) return 'truncated';
  const from = tables(db).selectFrom('changes');
  const selected = columns === undefined ? from.selectAll() : from.select(columns as 'sequence'[]);
  const changes = await selected.where('sequence', '>', sequence).orderBy('sequence').limit(limit).execute();
  // Checked after the read, so that a deletion during the read is noticed.
  const { forgotten } = await feed(db);
  if (forgotten > sequence) return 'truncated';
  const last = changes.at(-1)?.sequence ?? sequence;
  return {
    changes: changes as Selectable<Tables['changes']>[],
    upTo: changes.length < limit ? Math.max(last, upTo) : last,
  };
}

export async function lastChange<Tables extends FeedTables>(db: Kysely<Tables>): Promise<number> {
  return (await feed(db)).sequence;
}

/** Deletes all but the last `kept` changes. A process that is further behind has to reload what it derived. */
export async function truncateFeed<Tables extends FeedTables>(
  db: Kysely<Tables>,
  kept: number,
): Promise<void> {
  for (;;) {
    const { sequence, forgotten } = await feed(db);
    if (forgotten >= sequence - kept) return;
    const last = Math.min(forgotten + CHANGES_PER_DELETE, sequence - kept);
    await tables(db)
      .transaction()
      .execute(async (transaction) => {
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

function feed<Tables extends FeedTables>(
  db: Kysely<Tables>,
): Promise<{ sequence: number; forgotten: number }> {
  return tables(db).selectFrom('feed').select(['sequence', 'forgotten']).executeTakeFirstOrThrow();
}

/** The part of a database that the feed uses. Kysely can't infer columns of tables that are a type parameter. */
function tables<Tables extends FeedTables>(db: Kysely<Tables>): Kysely<FeedTables> {
  return db as unknown as Kysely<FeedTables>;
}
