/** The store's changes: which manifests were stored, declared or deleted. Every process reads them to keep its binding index current. */
import type { Transaction } from 'kysely';
import type { Flag, Tables } from '../database/tables.js';

export { changesAfter, holdFeed, lastChange, lockFeed, truncateFeed } from '../feed/feed.js';

/**
 * Records that manifests were stored, got their ISCC-ID, or were deleted.
 *
 * @param last number that `lockFeed` returned for at least as many changes in this transaction
 */
export async function recordChanges(
  transaction: Transaction<Tables>,
  last: number,
  keys: readonly number[],
  live: Flag,
): Promise<void> {
  const changes = keys.map((manifest_key, at) => ({ sequence: last - at, manifest_key, live }));
  await transaction.insertInto('changes').values(changes).execute();
}
