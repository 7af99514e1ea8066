/** How a restore of a deleted manifest changes the row of its declaration. Runs in the manifest's own transaction. */
import type { Transaction } from 'kysely';
import type {
  DeclarationInsert,
  DeclarationRow,
  DeclarationUpdate,
  Tables,
} from '../../../storage/database/tables.js';
import type { DeclarationTarget } from '../declarer.js';
import type { Uncertainty } from './state.js';
import { ISCC_ID_UNKNOWN_START } from './transitions.js';

export interface RestoredAt {
  readonly now: number;
  /** Where this store declares; `undefined` if it does not. */
  readonly target: DeclarationTarget | undefined;
}

/** Either the old row serves again with these changes, or a new row replaces it. */
export type Restoration =
  | { readonly change: DeclarationUpdate }
  | { readonly replacement: Omit<DeclarationInsert, 'manifest_key' | 'live'> };

/**
 * A declaration whose withdrawal was never tried stays in force. In every other case there is a new declaration: the old
 * row is settled first, as after a release, and the new one adopts what is still in force at the hub.
 */
export function onRestore(row: DeclarationRow, { now, target }: RestoredAt): Restoration {
  const { status, hub, fields, datahash, gateway } = row;
  if (status === 'disabled' || fields === null) return { change: {} };
  if (status === 'declared') {
    const isUntouched = row.lease === null && row.uncertainty === null && row.error === null;
    // No attempt of this store reaches another hub.
    if (isUntouched || target?.hub !== hub) return { change: { open: 0, error: null } };
  }
  if (target === undefined) return { replacement: { gateway, status: 'disabled', open: 0, updated_at: now } };
  const known = row.uncertainty !== null && status !== 'declared' ? row.uncertainty : maybeInForce(row, now);
  // Without it, a hub that has no lookup would get a second declaration. Another hub knows nothing of the first one.
  const uncertainty = target.hub === hub ? known : null;
  return {
    replacement: {
      ...target,
      gateway,
      datahash,
      fields,
      uncertainty,
      status: 'pending',
      open: 1,
      updated_at: now,
    },
  };
}

/** What the new row knows of a declaration whose withdrawal was tried, or whose ISCC-ID is unknown. */
function maybeInForce({ status, error, pubkey, forced }: DeclarationRow, now: number): string | null {
  const isUnknown = error?.startsWith(ISCC_ID_UNKNOWN_START) ?? false;
  if (pubkey === null || (status !== 'declared' && !isUnknown)) return null;
  const uncertainty: Uncertainty = { nonce: undefined, pubkey, forced: forced === 1, until: now };
  return JSON.stringify(uncertainty);
}

/** Applies {@link onRestore} to the row of a manifest, which the transaction has locked. */
export async function restoreDeclaration(
  transaction: Transaction<Tables>,
  row: DeclarationRow,
  at: RestoredAt,
): Promise<void> {
  const restoration = onRestore(row, at);
  const declarations = transaction.updateTable('declarations').where('key', '=', row.key);
  if ('change' in restoration) {
    await declarations.set({ ...restoration.change, live: 1, updated_at: at.now }).execute();
    return;
  }
  // The new row knows everything that a settled one knows.
  await transaction.deleteFrom('declarations').where('key', '=', row.key).where('open', '=', 0).execute();
  await declarations.set({ manifest_key: null }).execute();
  await transaction
    .insertInto('declarations')
    .values({ ...restoration.replacement, manifest_key: row.manifest_key, live: 1 })
    .execute();
}
