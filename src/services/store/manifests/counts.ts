/** Row counts of the store, for backups and checks. */
import { countLive } from '../../../storage/database/live-manifests.js';
import type { Db, Tables } from '../../../storage/database/tables.js';

export async function storeCounts(db: Db) {
  const rows = (table: keyof Tables) => countRows(db, table);
  const manifests = await countLive(db);
  return {
    manifests,
    tombstones: (await rows('manifests')) - manifests,
    bindings: await rows('bindings'),
    declarations: await rows('declarations'),
    accounts: await rows('accounts'),
  };
}

async function countRows(db: Db, table: keyof Tables): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number | string>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
}
