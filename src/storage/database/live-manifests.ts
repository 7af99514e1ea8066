/** Queries over all live manifests, shared by the store and the commands. */
import type { ExpressionOrFactory, SqlBool } from 'kysely';
import type { Db, Tables } from './tables.js';

type Condition = ExpressionOrFactory<Tables, 'manifests', SqlBool>;

/** Number of live manifests that fulfil the condition; of all without one. */
export async function countLive(db: Db, condition?: Condition): Promise<number> {
  const live = db
    .selectFrom('manifests')
    .select(({ fn }) => fn.countAll<number | string>().as('manifests'))
    .where('live', '=', 1);
  const narrowed = condition === undefined ? live : live.where(condition);
  return Number((await narrowed.executeTakeFirstOrThrow()).manifests);
}

/** Makes the running stores validate and index all live manifests again. Returns their number. */
export async function outdateLive(db: Db): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('manifests')
    .set({ index_version: 0 })
    .where('live', '=', 1)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
