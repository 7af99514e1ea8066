/** All data of one manifest. */
import { type Ingredient, parseSummary, type Summary } from '../../storage/database/catalogue.js';
import type { Db, DeclarationRow, ManifestRow } from '../../storage/database/tables.js';

export interface Binding {
  readonly alg: string;
  readonly value: Buffer;
  /** ISCC-UNITs, for `io.iscc.v0`. */
  readonly units: readonly string[];
  /** Another reading of the previous binding's value. */
  readonly isAlternate: boolean;
  /** Whether a publisher added it: the manifest does not name it. */
  readonly isAdded: boolean;
}

/** A manifest that this one is made of, or that is made of it. */
export interface Relation {
  readonly manifestId: string;
  readonly title: string;
  readonly relationship: string;
  /** Key of the manifest; `undefined` if this store does not have it. */
  readonly key: number | undefined;
}

export interface Detail {
  readonly manifest: Omit<ManifestRow, 'summary'>;
  readonly summary: Summary;
  readonly bindings: readonly Binding[];
  readonly declaration: DeclarationRow | undefined;
  readonly ingredients: readonly Relation[];
  /** Stored manifests that name this one as an ingredient; at most {@link RELATIONS_MAX}. */
  readonly usedBy: readonly Relation[];
}

export const RELATIONS_MAX = 50;

/** `undefined` if no manifest has the key. */
export async function manifestDetail(db: Db, key: number): Promise<Detail | undefined> {
  const [found, bindings, declaration] = await Promise.all([
    db.selectFrom('manifests').selectAll().where('key', '=', key).executeTakeFirst(),
    db.selectFrom('bindings').selectAll().where('manifest_key', '=', key).orderBy('ordinal').execute(),
    db.selectFrom('declarations').selectAll().where('manifest_key', '=', key).executeTakeFirst(),
  ]);
  if (found === undefined) return undefined;
  const { summary: json, ...manifest } = found;
  const summary = parseSummary(json);
  const [ingredients, usedBy] = await Promise.all([
    ingredientsOf(db, summary.ingredients ?? []),
    usersOf(db, manifest.manifest_id),
  ]);
  return {
    manifest,
    summary,
    declaration,
    ingredients,
    usedBy,
    bindings: bindings.map(({ alg, value, units, alternate, added }) => ({
      alg,
      value,
      units: unitList(units),
      isAlternate: alternate === 1,
      isAdded: added !== null,
    })),
  };
}

async function ingredientsOf(db: Db, given: readonly Ingredient[]): Promise<Relation[]> {
  const ids = given.flatMap(({ manifestId }) => manifestId ?? []).filter((id) => !id.includes('\0'));
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('manifests')
          .select(['key', 'manifest_id'])
          .where('manifest_id', 'in', ids)
          .execute();
  const keys = new Map(rows.map(({ key, manifest_id }) => [manifest_id, key]));
  return given.map(({ title = '', relationship = '', manifestId = '' }) => ({
    title,
    relationship,
    manifestId,
    key: keys.get(manifestId),
  }));
}

async function usersOf(db: Db, manifestId: string): Promise<Relation[]> {
  const rows = await db
    .selectFrom('ingredients')
    .innerJoin('catalogue', 'catalogue.manifest_key', 'ingredients.manifest_key')
    .select(['catalogue.manifest_key as key', 'manifest_id as manifestId', 'title', 'relationship'])
    .where('ingredient_id', '=', manifestId)
    .orderBy('catalogue.manifest_key', 'desc')
    .limit(RELATIONS_MAX)
    .execute();
  return rows;
}

function unitList(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}
