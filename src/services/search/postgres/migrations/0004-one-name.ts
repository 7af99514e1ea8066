/** Lets programs leave out the version of an asset's ISCC-ID, which nothing reads. Older programs still write it. */
import { sql, type Transaction } from 'kysely';
import type { SearchTables } from '../tables.js';

export async function leaveOutVersions(transaction: Transaction<SearchTables>): Promise<void> {
  await sql`alter table assets alter column id_v0 set default false`.execute(transaction);
}
