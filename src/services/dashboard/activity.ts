/** What happened in the last days, and what waits now: for the overview. */
import { sql } from 'kysely';
import { diskSpace } from '../../platform/observe/data-disks.js';
import type { Db } from '../../storage/database/tables.js';
import { DAY_MS } from './schema.js';

/** Days of the table, with today. */
export const ACTIVITY_DAYS = 14;
const NEWEST_MAX = 5;

export interface Day {
  /** Its start in UTC, in milliseconds since the epoch. */
  readonly day: number;
  readonly uploads: number;
  readonly deletes: number;
  /** Declarations whose last attempt on this day failed for good. */
  readonly failures: number;
}

export interface Activity {
  /** The last {@link ACTIVITY_DAYS} days, today first. */
  readonly days: readonly Day[];
  /** The newest live manifests. */
  readonly newest: readonly { readonly key: number; readonly title: string; readonly uploadedAt: number }[];
  /** Of each data folder that can be read. */
  readonly disks: readonly {
    readonly folder: string;
    readonly freeBytes: number;
    readonly sizeBytes: number;
  }[];
  /** Events that wait for webhook receivers, and those of them whose last attempt failed. */
  readonly webhooks: { readonly waiting: number; readonly failing: number };
}

/** @param folders data folders of the store */
export async function activity(db: Db, folders: readonly string[], now: number): Promise<Activity> {
  const today = Math.floor(now / DAY_MS);
  const since = (today - ACTIVITY_DAYS + 1) * DAY_MS;
  const [uploads, deletes, failures, newest, disks, webhooks] = await Promise.all([
    perDay(
      db
        .selectFrom('catalogue')
        .where('uploaded_at', '>=', since)
        .select(dayOf('uploaded_at'))
        .select(rows)
        .groupBy('day')
        .execute(),
    ),
    perDay(
      db
        .selectFrom('audit')
        .where('action', '=', 'manifest-deleted')
        .where('at', '>=', since)
        .select(dayOf('at'))
        .select(rows)
        .groupBy('day')
        .execute(),
    ),
    perDay(
      db
        .selectFrom('declarations')
        .where('live', '=', 1)
        .where('status', '=', 'failed')
        .where('attempted_at', '>=', since)
        .select(dayOf('attempted_at'))
        .select(rows)
        .groupBy('day')
        .execute(),
    ),
    db
      .selectFrom('catalogue')
      .select(['manifest_key as key', 'title', 'uploaded_at as uploadedAt'])
      .where('live', '=', 1)
      .orderBy('uploaded_at', 'desc')
      .orderBy('manifest_key', 'desc')
      .limit(NEWEST_MAX)
      .execute(),
    Promise.all(folders.map((folder) => diskSpace(folder).catch(() => undefined))),
    db
      .selectFrom('webhook_events')
      .select(rows)
      .select(({ fn }) => fn.count<number | string>('error').as('failing'))
      .executeTakeFirstOrThrow(),
  ]);
  const days = Array.from({ length: ACTIVITY_DAYS }, (_, at) => {
    const day = today - at;
    const on = (found: ReadonlyMap<number, number>) => found.get(day) ?? 0;
    return { day: day * DAY_MS, uploads: on(uploads), deletes: on(deletes), failures: on(failures) };
  });
  return {
    days,
    newest,
    disks: disks.flatMap((disk, at) => (disk === undefined ? [] : [{ folder: folders[at] ?? '', ...disk }])),
    webhooks: { waiting: Number(webhooks.rows), failing: Number(webhooks.failing) },
  };
}

const rows = sql<number | string>`count(*)`.as('rows');

/** Days since the epoch: both engines divide integers without a rest. */
function dayOf(column: string) {
  return sql<number | string>`${sql.ref(column)} / ${sql.lit(DAY_MS)}`.as('day');
}

async function perDay(
  found: Promise<readonly { readonly day: number | string; readonly rows: number | string }[]>,
): Promise<ReadonlyMap<number, number>> {
  return new Map((await found).map(({ day, rows }) => [Number(day), Number(rows)]));
}
