/** What the database says about the similarity index beside the store: told, to be told, to be taken back. */
import { sql } from 'kysely';
import { ISCC_ALGORITHM } from '../c2pa/documents.js';
import type { Db } from '../database/open.js';

/** A live manifest that the index does not know, or knows under another ISCC-ID. */
export interface Missing {
  readonly key: number;
  readonly uploadedAt: number;
  /** Its address. */
  readonly gateway: string;
  readonly units: readonly string[];
  /** ISCC-ID of its declaration, if it is declared. */
  readonly declaredId: string | null;
  /** ISCC-ID that the index may know it under. */
  readonly knownId: string | null;
}

/** Keys above `after` of live manifests with units, and of all that the index was told. */
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
  const told = await db
    .selectFrom('local_index')
    .select('manifest_key as key')
    .where('manifest_key', '>', after)
    .orderBy('manifest_key')
    .limit(limit)
    .execute();
  const keys = [...new Set([...live, ...told].map(({ key }) => key))];
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

/** What the index was told of manifests that are no more. */
export function superfluous(db: Db, keys: readonly number[]): Promise<{ key: number; isccId: string }[]> {
  return db
    .selectFrom('local_index as i')
    .leftJoin('manifests as m', 'm.key', 'i.manifest_key')
    .select(['i.manifest_key as key', 'i.iscc_id as isccId'])
    .where('i.manifest_key', 'in', keys)
    .where((where) => where.or([where('m.key', 'is', null), where('m.live', '=', 0)]))
    .execute();
}

export async function missing(db: Db, keys: readonly number[]): Promise<Missing[]> {
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
  const manifests = new Map<number, Missing & { units: string[] }>();
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

/** Before the index is told: should it be interrupted, it is told again, and whatever it was told can be undone. */
export async function note(
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

export async function noteDone(db: Db, keys: readonly number[]): Promise<void> {
  await db.updateTable('local_index').set({ done: 1 }).where('manifest_key', 'in', keys).execute();
}

export async function forget(db: Db, key: number): Promise<void> {
  await db.deleteFrom('local_index').where('manifest_key', '=', key).execute();
}

export async function countDone(db: Db): Promise<number> {
  const { done } = await db
    .selectFrom('local_index')
    .select(({ fn }) => fn.countAll<number | string>().as('done'))
    .where('done', '=', 1)
    .executeTakeFirstOrThrow();
  return Number(done);
}

export async function doAllAgain(db: Db): Promise<void> {
  await db.updateTable('local_index').set({ done: 0 }).execute();
}
