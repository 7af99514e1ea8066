/** Live, or deleted, manifests by their age, whoever signed them: pages far back took a sort of all. */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addLiveIndex(ddl: Transaction<Tables>): Promise<void> {
  await sql`create index manifests_live_key on manifests (live, key)`.execute(ddl);
}
