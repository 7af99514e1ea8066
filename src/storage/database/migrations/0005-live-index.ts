/** Adds an index for lists by `live` and age. Without it, late pages sorted all rows. */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addLiveIndex(ddl: Transaction<Tables>): Promise<void> {
  await sql`create index manifests_live_key on manifests (live, key)`.execute(ddl);
}
