/** How a delete and a release change the row of a declaration. Both run in the manifest's own transaction. */
import type { Transaction } from 'kysely';
import type { DeclarationRow, DeclarationUpdate, Tables } from '../../../storage/database/tables.js';
import { settledRow } from './rows.js';

/**
 * The columns to update when the manifest becomes a tombstone.
 *
 * A declaration that was never sent is settled here. For every other one `open` starts an attempt: this store's own,
 * or that of a later process which has a key and a hub.
 */
export function onTombstone({ status, uncertainty, lease }: DeclarationRow): DeclarationUpdate {
  switch (status) {
    case 'pending':
    case 'failed':
      if (uncertainty === null && lease === null) return { status: 'skipped', open: 0, error: null };
      return { open: 1 };
    case 'declared':
      return { open: 1 };
    case 'skipped':
    case 'disabled':
    case 'withdrawn':
      return {};
    default:
      return status satisfies never;
  }
}

/** Deletes the row when the id is released. A row that a hub may still accept stays until its outcome is known. */
export async function dropSettled(transaction: Transaction<Tables>, { key }: DeclarationRow): Promise<void> {
  await settledRow(transaction, key).execute();
}
