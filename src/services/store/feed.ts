/** The store's changes: which manifests were stored, declared, deleted or bound to further values. Every process reads them to keep its binding index current. */
import type { Selectable, Transaction } from 'kysely';
import type { ChangeTable, Flag, Tables } from '../../storage/database/tables.js';

export { holdFeed, lockFeed, truncateFeed } from '../../storage/feed/feed.js';

export type Change = Selectable<ChangeTable>;

/**
 * Records that manifests were stored, got their ISCC-ID or other bindings, or were deleted. The database adds the tags.
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
