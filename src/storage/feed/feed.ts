/**
 * Ordered feed of numbered changes in a database. Processes read it to keep what they derived from the database current.
 * Design: docs/design/change-feed.md.
 */
import type { Generated, Kysely, Transaction } from 'kysely';

/** A single row. Its lock orders all writers, so that changes become visible in the order of their numbers. */
export interface FeedTable {
  id: number;
  /** Last number that was taken. */
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
  /** Some numbers have no change. */
  sequence: number;
  /** Random; made by the database. */
  tag: Generated<string>;
}

/** Changes per delete statement, so that one takes milliseconds. */
const CHANGES_PER_DELETE = 10_000;

/**
 * Locks the feed until the transaction ends: no other transaction can record changes.
 *
 * @returns the last of `count` sequence numbers reserved for changes
 */
export async function lockFeed<Tables extends FeedTables>(
  transaction: Transaction<Tables>,
  count = 1,
): Promise<number> {
  const { sequence } = await feedOf(transaction)
    .updateTable('feed')
    .set((expression) => ({ sequence: expression('sequence', '+', count) }))
    .where('id', '=', 1)
    .returning('sequence')
    .executeTakeFirstOrThrow();
  return sequence;
}

/** Takes the lock of {@link lockFeed} without a number: other transactions that change anything wait for the end of this one. */
export async function holdFeed<Tables extends FeedTables>(transaction: Transaction<Tables>): Promise<void> {
  await feedOf(transaction)
    .updateTable('feed')
    .set((expression) => ({ sequence: expression.ref('sequence') }))
    .where('id', '=', 1)
    .execute();
}

/** Deletes all but the last `kept` changes. A process that is further behind has to reload what it derived. */
export async function truncateFeed<Tables extends FeedTables>(
  db: Kysely<Tables>,
  kept: number,
): Promise<void> {
  for (;;) {
    const { sequence, forgotten } = await feedOf(db)
      .selectFrom('feed')
      .select(['sequence', 'forgotten'])
      .executeTakeFirstOrThrow();
    if (forgotten >= sequence - kept) return;
    const last = Math.min(forgotten + CHANGES_PER_DELETE, sequence - kept);
    await feedOf(db)
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

/** The part of a database that the feed uses. Kysely can't infer columns of tables that are a type parameter. */
export function feedOf<Tables extends FeedTables>(db: Kysely<Tables>): Kysely<FeedTables> {
  return db as unknown as Kysely<FeedTables>;
}
