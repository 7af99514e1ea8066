/** Adds standing queries, and what is recorded for them. Older programs do not record it. */
import type { Transaction } from 'kysely';
import { createWatches } from '../../watches/tables.js';
import type { SearchTables } from '../tables.js';

export async function addWatches(transaction: Transaction<SearchTables>): Promise<void> {
  await createWatches(transaction, 'postgres');
}
