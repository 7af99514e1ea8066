/**
 * Points in the history of a database. A database that was restored from a backup counts on from an earlier number, so that
 * a number alone can be that of a change which no longer exists. Each change therefore has a random tag.
 */
import { randomUUID } from 'node:crypto';
import type { SearchChangeTable, SearchDb } from './tables.js';

/** A change. A database whose change of this number has this tag also has all changes before it that led there. */
export interface Point {
  readonly sequence: number;
  /** `undefined` before the first change, and if the database no longer has the change. */
  readonly tag: string | undefined;
}

/** A change whose tag is known. */
export interface TaggedPoint extends Point {
  readonly tag: string;
}

/** Before the first change: every history begins here. */
export const BEGINNING: Point = { sequence: 0, tag: undefined };

/** The change that gets this number. */
export function newPoint(sequence: number): TaggedPoint {
  return { sequence, tag: randomUUID() };
}

export function isSame(one: Point, other: Point): boolean {
  return one.sequence === other.sequence && one.tag === other.tag;
}

/** The change of the database with this number. */
export async function pointAt(db: SearchDb, sequence: number): Promise<Point> {
  const found = await db
    .selectFrom('changes')
    .select(['sequence', 'tag'])
    .where('sequence', '=', sequence)
    .executeTakeFirst();
  return found === undefined ? { sequence, tag: undefined } : pointOf(found);
}

/** The change in a row of the feed. */
export function pointOf({ sequence, tag }: Pick<SearchChangeTable, 'sequence' | 'tag'>): Point {
  return { sequence, tag: tag ?? undefined };
}

/** Whether the database has this change. One that was removed counts as missing. */
export async function hasPoint(db: SearchDb, point: Point): Promise<boolean> {
  if (point.sequence === 0) return true;
  return point.tag !== undefined && isSame(await pointAt(db, point.sequence), point);
}

/** The last change of an index, which is known also if the feed no longer has it. */
export async function lastPoint(db: SearchDb, index: number, changed: number): Promise<Point> {
  const found = await db
    .selectFrom('index_tags')
    .select('tag')
    .where('index_id', '=', index)
    .where('sequence', '=', changed)
    .executeTakeFirst();
  // Without it, an older program made the change.
  return found === undefined ? pointAt(db, changed) : { sequence: changed, tag: found.tag };
}
