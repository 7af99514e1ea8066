/**
 * The history of a database: which changes it has, in order. Whatever follows a feed remembers the last change that it has
 * applied, and asks here whether that change is still part of the history.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { type FeedTables, feedOf, type NumberedChange } from './feed.js';

/**
 * A change. A database that was restored from a backup, or that a standby without the last changes replaced, counts on from
 * an earlier number, so a number alone can be that of another change. The tag is random: a database that has the change with
 * this number and this tag also has all changes before it.
 */
export interface Point {
  readonly sequence: number;
  /** `undefined` before the first change, and if the database has deleted all of its changes. */
  readonly tag: string | undefined;
}

/** A change whose tag is known. */
export interface TaggedPoint extends Point {
  readonly tag: string;
}

/** Before the first change: every history begins here. */
export const BEGINNING: Point = { sequence: 0, tag: undefined };

/** Changes in order. */
export interface FoundChanges<Change> {
  readonly changes: readonly Change[];
  /** The last of them; the point after which they were read if nothing has changed. */
  readonly last: Point;
  /** Whether the limit was reached, so that there may be more. */
  readonly hasMore: boolean;
}

/** SQL, for both engines: the last change in one row, or the last one that was deleted, without a tag. */
export const NEWEST_POINT = `select coalesce(c.sequence, f.forgotten) as sequence, c.tag
  from feed f left join changes c on c.sequence = (select max(sequence) from changes) where f.id = 1`;

/** The change that gets this number. */
export function newPoint(sequence: number): TaggedPoint {
  return { sequence, tag: randomUUID() };
}

/** The point in a row of the table of changes, or in that of {@link NEWEST_POINT}. */
export function pointOf({
  sequence,
  tag,
}: {
  readonly sequence: number;
  readonly tag: string | null;
}): Point {
  return { sequence, tag: tag ?? undefined };
}

export function isSamePoint(one: Point, other: Point): boolean {
  return one.sequence === other.sequence && one.tag === other.tag;
}

export class History<Tables extends FeedTables> {
  readonly #db: Kysely<FeedTables>;

  /** @param db also a transaction, which then sees its own changes and, if it is a snapshot, only that */
  constructor(db: Kysely<Tables>) {
    this.#db = feedOf(db);
  }

  /** The last change. */
  async newest(): Promise<Point> {
    const { rows } = await sql.raw<Selectable<NumberedChange>>(NEWEST_POINT).execute(this.#db);
    const [row] = rows;
    if (row === undefined) throw new Error('the table feed has no row');
    return pointOf(row);
  }

  /**
   * Whether the history has this point, with all changes after it. This is the one rule by which a follower continues where
   * it was. A point without a tag is not known to be of this history, unless it is the beginning.
   */
  async has({ sequence, tag }: Point): Promise<boolean> {
    if (sequence === BEGINNING.sequence) return (await this.#forgotten()) === 0;
    // Changes are deleted in order: one that is there has all its successors.
    const row = await this.#db
      .selectFrom('changes')
      .select('tag')
      .where('sequence', '=', sequence)
      .executeTakeFirst();
    return tag !== undefined && row?.tag === tag;
  }

  /** Whether the point is known to be of another history. One whose change was deleted because of its age may be of this one. */
  async hasLost(point: Point): Promise<boolean> {
    return !(await this.has(point)) && (await this.#forgotten()) < point.sequence;
  }

  /**
   * Reads changes after a point.
   *
   * @param columns of the changes to read, with `sequence` and `tag`; all by default
   * @returns `lost` if the history does not have the point: what was derived from it has to be derived again
   */
  async after(
    point: Point,
    limit: number,
    columns?: readonly (keyof Tables['changes'] & string)[],
  ): Promise<FoundChanges<Selectable<Tables['changes']>> | 'lost'> {
    // The common case: nothing new, found by one statement.
    if (isSamePoint(await this.newest(), point)) return { changes: [], last: point, hasMore: false };
    const from = this.#db.selectFrom('changes');
    const selected =
      columns === undefined ? from.selectAll() : from.select(columns as ('sequence' | 'tag')[]);
    const found = await selected
      .where('sequence', '>', point.sequence)
      .orderBy('sequence')
      .limit(limit)
      .execute();
    // After the read, so that a deletion or another database is noticed that came in between.
    if (!(await this.has(point))) return 'lost';
    const last = found.at(-1);
    return {
      changes: found as Selectable<Tables['changes']>[],
      last: last === undefined ? point : pointOf(last),
      hasMore: found.length === limit,
    };
  }

  async #forgotten(): Promise<number> {
    const { forgotten } = await this.#db.selectFrom('feed').select('forgotten').executeTakeFirstOrThrow();
    return forgotten;
  }
}
