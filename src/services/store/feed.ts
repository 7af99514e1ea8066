/** The store's changes: which manifests were stored, declared or deleted. Every process reads them to keep its binding index current. */
import type { Selectable, Transaction } from 'kysely';
import type { ChangeTable, Db, Flag, Tables } from '../../storage/database/tables.js';
import { changesAfter as changesAfterNumber } from '../../storage/feed/feed.js';

export { holdFeed, lastChange, lockFeed, truncateFeed } from '../../storage/feed/feed.js';

export type Change = Selectable<ChangeTable>;

/**
 * A point in the history of a database. A database that has lost its last changes counts on from an earlier number, so a
 * number alone can be that of a change which no longer exists. Each change therefore has a random tag.
 */
export interface Point {
  readonly sequence: number;
  /** Tag of the last change up to `sequence`; `undefined` without one, and in positions of earlier versions. */
  readonly tag: string | undefined;
}

/** Changes in order, and the point up to which they are complete. */
export interface ChangesToPoint {
  readonly changes: readonly Change[];
  readonly upTo: Point;
}

/**
 * Records that manifests were stored, got their ISCC-ID, or were deleted. The database adds the tags.
 *
 * @param last number that `lockFeed` returned for at least as many changes in this transaction
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

/**
 * Reads changes after a point.
 *
 * @returns `truncated` if some of them may have been deleted, or if the history of the database lacks the point
 */
export async function changesAfter(
  db: Db,
  after: Point,
  limit: number,
): Promise<ChangesToPoint | 'truncated'> {
  const newest = await newestPoint(db);
  // The common case: nothing new, found by one statement.
  const isNewest = after.tag === undefined ? newest.sequence === after.sequence : newest.tag === after.tag;
  if (isNewest) return { changes: [], upTo: newest };
  const found = await changesAfterNumber(db, after.sequence, limit);
  // Checked after the read, so that changes of another history are noticed.
  if (found === 'truncated' || !(await hasPoint(db, after))) return 'truncated';
  const { changes } = found;
  const last = changes.at(-1);
  const tag = last === undefined ? after.tag : (last.tag ?? undefined);
  return { changes, upTo: { sequence: found.upTo, tag } };
}

/** The end of the history. */
export async function newestPoint(db: Db): Promise<Point> {
  const { sequence, tag } = await db
    .selectFrom('feed')
    .select((feed) => [
      'sequence',
      feed.selectFrom('changes').select('tag').orderBy('sequence', 'desc').limit(1).as('tag'),
    ])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return { sequence, tag: tag ?? undefined };
}

/** Whether the history of the database has this point. It counts as missing if its change was deleted. */
export async function hasPoint(db: Db, { sequence, tag }: Point): Promise<boolean> {
  // A position of an earlier version: the number has to do.
  if (tag === undefined) return true;
  const row = await db
    .selectFrom('changes')
    .select('tag')
    .where('sequence', '<=', sequence)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.tag === tag;
}

/** Whether the database has lost this point. One whose change was deleted as old counts as kept. */
export async function hasLostPoint(db: Db, point: Point): Promise<boolean> {
  if (await hasPoint(db, point)) return false;
  const { forgotten } = await db.selectFrom('feed').select('forgotten').executeTakeFirstOrThrow();
  return forgotten < point.sequence;
}

export function isSamePoint(one: Point, other: Point): boolean {
  return one.sequence === other.sequence && one.tag === other.tag;
}
