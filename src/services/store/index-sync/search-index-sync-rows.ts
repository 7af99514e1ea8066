/** Entries of a similarity index: manifests that are to be added, added, or refused. Stored in `index_entries`. */
import { sql } from 'kysely';
import { ISCC_ALGORITHM } from '../../../c2pa/documents.js';
import type { Db, EntryState } from '../../../storage/database/tables.js';

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

/** Keys above `after` of live manifests with units, and of manifests with an entry. */
export async function keysAfter(db: Db, indexId: string, after: number, limit: number): Promise<number[]> {
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
    .selectFrom('index_entries')
    .select('manifest_key as key')
    .where('index_id', '=', indexId)
    .where('manifest_key', '>', after)
    .orderBy('manifest_key')
    .limit(limit)
    .execute();
  const keys = [...new Set([...live, ...tracked].map(({ key }) => key))];
  return keys.sort((a, b) => a - b).slice(0, limit);
}

/** A deleted manifest. */
export interface Deleted extends Pick<Unsynced, 'key' | 'uploadedAt'> {
  readonly declaredId: string | null;
}

/** Deleted manifests with keys above `after`, in order. */
export async function deletedAfter(db: Db, after: number, limit: number): Promise<Deleted[]> {
  return db
    .selectFrom('manifests as m')
    .leftJoin('declarations as d', 'd.manifest_key', 'm.key')
    .select(['m.key', 'm.uploaded_at as uploadedAt', 'd.iscc_id as declaredId'])
    .where('m.key', '>', after)
    .where('m.live', '=', 0)
    .orderBy('m.key')
    .limit(limit)
    .execute();
}

/** The ISCC-IDs in the list that the index has, or is to have. */
export async function tracked(
  db: Db,
  indexId: string,
  isccIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await db
    .selectFrom('index_entries')
    .select('iscc_id')
    .where('index_id', '=', indexId)
    .where('iscc_id', 'in', isccIds)
    .execute();
  return new Set(found.map(({ iscc_id }) => iscc_id));
}

/** ISCC-IDs by manifest id, under which any index of this database has these manifests, or is to have them. */
export async function trackedOf(
  db: Db,
  manifestIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await db
    .selectFrom('manifests as m')
    .innerJoin('index_entries as i', 'i.manifest_key', 'm.key')
    .select(['m.manifest_id', 'i.iscc_id'])
    .where('m.manifest_id', 'in', manifestIds)
    .execute();
  const tracked = new Map<string, string[]>();
  for (const { manifest_id, iscc_id } of found)
    tracked.set(manifest_id, [...(tracked.get(manifest_id) ?? []), iscc_id]);
  return tracked;
}

/** Entries of manifests that were deleted, or that have no units any more. */
export function obsolete(
  db: Db,
  indexId: string,
  keys: readonly number[],
): Promise<{ key: number; isccId: string }[]> {
  return db
    .selectFrom('index_entries as i')
    .leftJoin('manifests as m', 'm.key', 'i.manifest_key')
    .select(['i.manifest_key as key', 'i.iscc_id as isccId'])
    .where('i.index_id', '=', indexId)
    .where('i.manifest_key', 'in', keys)
    .where((where) =>
      where.or([where('m.key', 'is', null), where('m.live', '=', 0), where('m.unit_count', '=', 0)]),
    )
    .execute();
}

/**
 * Manifests to add to the index. Those without searchable units are left out.
 *
 * @param isChanged whether their bindings may have changed: then also those that the index has
 */
export async function unsynced(
  db: Db,
  indexId: string,
  keys: readonly number[],
  isChanged: boolean,
): Promise<Unsynced[]> {
  const found = await db
    .selectFrom('manifests as m')
    .innerJoin('declarations as d', 'd.manifest_key', 'm.key')
    .innerJoin('bindings as b', 'b.manifest_key', 'm.key')
    .leftJoin('index_entries as i', (join) =>
      join.onRef('i.manifest_key', '=', 'm.key').on('i.index_id', '=', indexId),
    )
    .select([
      'm.key',
      'm.uploaded_at',
      'd.gateway',
      'd.status',
      'd.iscc_id as declaredId',
      'i.iscc_id as knownId',
      'i.declared',
      'i.state',
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
    if (!isChanged && (row.state ?? 0) !== 0 && isKnown) continue;
    const { key, uploaded_at: uploadedAt, gateway, knownId } = row;
    const manifest = manifests.get(key) ?? { key, uploadedAt, gateway, knownId, declaredId, units: [] };
    const units: string[] = JSON.parse(row.units ?? '[]');
    manifest.units.push(...units.filter((unit) => !manifest.units.includes(unit)));
    manifests.set(key, manifest);
  }
  return [...manifests.values()].filter(({ units }) => units.length > 0);
}

/** Records entries before they are added. After a crash they are added again, or removed with their manifest. */
export async function markPending(
  db: Db,
  indexId: string,
  manifests: readonly { key: number; isccId: string; declaredId: string | null }[],
): Promise<void> {
  await db
    .insertInto('index_entries')
    .values(
      manifests.map(({ key, isccId, declaredId }) => ({
        index_id: indexId,
        manifest_key: key,
        iscc_id: isccId,
        declared: declaredId === null ? (0 as const) : (1 as const),
        state: 0 as const,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['index_id', 'manifest_key']).doUpdateSet({
        iscc_id: sql`excluded.iscc_id`,
        declared: sql`excluded.declared`,
        state: 0,
      }),
    )
    .execute();
}

export async function mark(
  db: Db,
  indexId: string,
  keys: readonly number[],
  state: EntryState,
): Promise<void> {
  if (keys.length === 0) return;
  await db
    .updateTable('index_entries')
    .set({ state })
    .where('index_id', '=', indexId)
    .where('manifest_key', 'in', keys)
    .execute();
}

export async function remove(db: Db, indexId: string, key: number): Promise<void> {
  await db
    .deleteFrom('index_entries')
    .where('index_id', '=', indexId)
    .where('manifest_key', '=', key)
    .execute();
}

/** The newest entries that the index has. */
export async function newestSynced(db: Db, indexId: string, count: number): Promise<string[]> {
  const rows = await db
    .selectFrom('index_entries')
    .select('iscc_id')
    .where('index_id', '=', indexId)
    .where('state', '=', 1)
    .orderBy('manifest_key', 'desc')
    .limit(count)
    .execute();
  return rows.map(({ iscc_id }) => iscc_id);
}

export async function hasPending(db: Db, indexId: string): Promise<boolean> {
  const row = await db
    .selectFrom('index_entries')
    .select('manifest_key')
    .where('index_id', '=', indexId)
    .where('state', '=', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes the next fill add all manifests of an index again; without an id, of every index. */
export async function markAllUnsynced(db: Db, indexId?: string): Promise<void> {
  const update = db.updateTable('index_entries').set({ state: 0 });
  await (indexId === undefined ? update : update.where('index_id', '=', indexId)).execute();
}
