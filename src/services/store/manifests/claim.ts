/** Ownership of manifests that were uploaded without a token. */
import { type Actor, recordAudit } from '../../../storage/database/audit.js';
import type { Db } from '../../../storage/database/tables.js';

/** Key of the manifest, its new owner, and who acts. */
export type Claim = readonly [key: number, publisher: string, actor: Actor];

/** Makes a publisher the owner of a live manifest without one. Returns whether it did. */
export function claim(db: Db, ...[key, publisher, actor]: Claim): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const claimed = await transaction
      .updateTable('manifests')
      .set({ publisher })
      .where('key', '=', key)
      .where('live', '=', 1)
      .where('publisher', 'is', null)
      .returning('manifest_id')
      .executeTakeFirst();
    if (claimed === undefined) return false;
    const entry = { action: 'manifest-claimed', subject: claimed.manifest_id, after: { publisher } } as const;
    await recordAudit(transaction, actor, [entry]);
    return true;
  });
}
