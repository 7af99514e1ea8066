/** Sync state of each manifest in the similarity index: pending, synced, or to remove. Stored in `local_index`. */
import { sql } from 'kysely';
import { ISCC_ALGORITHM } from '../c2pa/documents.js';
import type { Db } from '../database/open.js';

/** A live manifest that is missing from the index, or in it under another ISCC-ID. */
export interface Unsynced {
  readonly key: number;
  readonly uploadedAt: number;
  /** URL of the manifest. */
  readonly gateway: string;
  readonly units: readonly string[];
  /** ISCC-ID of its declaration, if it is declared. */
  readonly declaredId: string | null;
  /** ISCC-ID that the index may have it under. */
  readonly knownId: string | null;
}

/** Keys above `after` of live manifests with units, and of manifests with a sync state. */
export async function keysAfter(db: Db, after: number, limit: number): Promise<number[]> {
  const live = await db
    .selectFrom('manifests')
    .select('key')
    .where('key', '>', after)
    .where('live', '=', 1)
    .where('unit_count', '>', 0)
    .orderBy('key')
    .limit(limit)
    .execute();
  const tracked = await db
    .selectFrom('local_index')
    .select('manifest_key as key')
    .where('manifest_key', '>', after)
    .orderBy('manifest_key')
    .limit(limit)
    .execute();
  const keys = [...new Set([...live, ...tracked].map(({ key }) => key))];
  return keys.sort((a, b) => a - b).slice(0, limit);
}

export async function keysDeclaredSince(db: Db, sinceMs: number): Promise<number[]> {
  const found = await db
    .selectFrom('declarations')
    .select('manifest_key')
    .where('updated_at', '>=', sinceMs)
    .where('manifest_key', 'is not', null)
    .execute();
  return found.flatMap(({ manifest_key }) => (manifest_key === null ? [] : [manifest_key]));
}

/** Index entries of deleted manifests. */
export function deleted(db: Db, keys: readonly number[]): Promise<{ key: number; isccId: string }[]> {
  return db
    .selectFrom('local_index as i')
    .leftJoin('manifests as m', 'm.key', 'i.manifest_key')
    .select(['i.manifest_key as key', 'i.iscc_id as isccId'])
    .where('i.manifest_key', 'in', keys)
    .where((where) => where.or([where('m.key', 'is', null), where('m.live', '=', 0)]))
    .execute();
}

/** Manifests to add to the index. Those without searchable units are left out. */
export async function unsynced(db: Db, keys: readonly number[]): Promise<Unsynced[]> {
  const found = await db
    .selectFrom('manifests as m')
    .innerJoin('declarations as d', 'd.manifest_key', 'm.key')
    .innerJoin('bindings as b', 'b.manifest_key', 'm.key')
    .leftJoin('local_index as i', 'i.manifest_key', 'm.key')
    .select([
      'm.key',
      'm.uploaded_at',
      'd.gateway',
      'd.status',
      'd.iscc_id as declaredId',
      'i.iscc_id as knownId',
      'i.declared',
      'i.done',
      'b.units',
    ])
    .where('m.key', 'in', keys)
    .where('m.live', '=', 1)
    .where('b.alg', '=', ISCC_ALGORITHM)
    .orderBy('m.key')
    .orderBy('b.ordinal')
    .execute();
  const manifests = new Map<number, Unsynced & { units: string[] }>();
  for (const row of found) {
    const declaredId = row.status === 'declared' ? row.declaredId : null;
    const isKnown = declaredId === null ? row.declared === 0 : row.knownId === declaredId;
    if (row.done === 1 && isKnown) continue;
    const { key, uploaded_at: uploadedAt, gateway, knownId } = row;
    const manifest = manifests.get(key) ?? { key, uploadedAt, gateway, knownId, declaredId, units: [] };
    const units: string[] = JSON.parse(row.units ?? '[]');
    manifest.units.push(...units.filter((unit) => !manifest.units.includes(unit)));
    manifests.set(key, manifest);
  }
  return [...manifests.values()].filter(({ units }) => units.length > 0);
}

/** Records the entries before they are added. After a crash they are added again, or removed with their manifest. */
export async function markPending(
  db: Db,
  manifests: readonly { key: number; isccId: string; declaredId: string | null }[],
): Promise<void> {
  await db
    .insertInto('local_index')
    .values(
      manifests.map(({ key, isccId, declaredId }) => ({
        manifest_key: key,
        iscc_id: isccId,
        declared: declaredId === null ? (0 as const) : (1 as const),
        done: 0 as const,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('manifest_key').doUpdateSet({
        iscc_id: sql`excluded.iscc_id`,
        declared: sql`excluded.declared`,
        done: 0,
      }),
    )
    .execute();
}

export async function markSynced(db: Db, keys: readonly number[]): Promise<void> {
  await db.updateTable('local_index').set({ done: 1 }).where('manifest_key', 'in', keys).execute();
}

export async function remove(db: Db, key: number): Promise<void> {
  await db.deleteFrom('local_index').where('manifest_key', '=', key).execute();
}

export async function countSynced(db: Db): Promise<number> {
  const { synced } = await db
    .selectFrom('local_index')
    .select(({ fn }) => fn.countAll<number | string>().as('synced'))
    .where('done', '=', 1)
    .executeTakeFirstOrThrow();
  return Number(synced);
}

/** Makes the next start add all manifests again. */
export async function markAllUnsynced(db: Db): Promise<void> {
  await db.updateTable('local_index').set({ done: 0 }).execute();
}
