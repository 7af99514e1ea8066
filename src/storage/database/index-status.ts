/** State of the similarity indexes that stores feed, for operators. */
import { History } from '../feed/history.js';
import { countLive } from './live-manifests.js';
import type { Db, EntryState } from './tables.js';

/** State of an index for operators. */
export interface IndexStatus {
  readonly indexId: string;
  /** Whether a process feeds it now. */
  readonly isFed: boolean;
  /** Whether it is being filled from the start. */
  readonly isFilling: boolean;
  /** Changes that it does not have yet; 0 while it is being filled. */
  readonly behind: number;
  /** Manifests in the index, and those to be in it. */
  readonly synced: number;
  readonly total: number;
  /** Manifests that the search service refused. */
  readonly refused: number;
  /** Milliseconds since the epoch. */
  readonly syncedAt: number | undefined;
  readonly failingSince: number | undefined;
  readonly error: string | undefined;
}

/** All indexes that processes have fed from this database. */
export async function indexStatuses(db: Db, now: number): Promise<IndexStatus[]> {
  const rows = await db.selectFrom('index_ledger').selectAll().orderBy('index_id').execute();
  if (rows.length === 0) return [];
  const [{ sequence: last }, total] = await Promise.all([
    new History(db).newest(),
    countLive(db, ({ eb }) => eb('unit_count', '>', 0)),
  ]);
  const statuses = rows.map(async (row): Promise<IndexStatus> => {
    const { synced, refused } = await countIndexEntries(db, row.index_id);
    return {
      indexId: row.index_id,
      isFed: row.leader !== null && row.leased_until >= now,
      isFilling: row.sequence === null,
      behind: row.sequence === null ? 0 : Math.max(0, last - row.sequence),
      synced,
      total,
      refused,
      syncedAt: row.synced_at ?? undefined,
      failingSince: row.failing_since ?? undefined,
      error: row.error ?? undefined,
    };
  });
  return Promise.all(statuses);
}

/** Makes the processes that feed the indexes fill them from the start. Returns the number of indexes. */
export async function refillAll(db: Db): Promise<number> {
  const rows = await db.updateTable('index_ledger').set({ sequence: null }).returning('index_id').execute();
  await db.updateTable('index_entries').set({ state: 0 }).execute();
  return rows.length;
}

/** Number of entries that the index has, and that it refused. */
export async function countIndexEntries(
  db: Db,
  indexId: string,
): Promise<{ synced: number; pending: number; refused: number }> {
  const rows = await db
    .selectFrom('index_entries')
    .select(['state', ({ fn }) => fn.countAll<number | string>().as('entries')])
    .where('index_id', '=', indexId)
    .groupBy('state')
    .execute();
  const having = (state: EntryState) => Number(rows.find((row) => row.state === state)?.entries ?? 0);
  return { synced: having(1), pending: having(0), refused: having(2) };
}
