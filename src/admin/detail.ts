/** All data of one manifest. */
import type { Db } from '../database/open.js';
import type { DeclarationRow, ManifestRow } from '../database/tables.js';

export interface Binding {
  readonly alg: string;
  readonly value: Buffer;
  /** ISCC-UNITs, for `io.iscc.v0`. */
  readonly units: readonly string[];
  /** Another reading of the previous binding's value. */
  readonly isAlternate: boolean;
}

export interface Detail {
  readonly manifest: ManifestRow;
  readonly bindings: readonly Binding[];
  readonly declaration: DeclarationRow | undefined;
}

/** `undefined` if no manifest has the key. */
export async function manifestDetail(db: Db, key: number): Promise<Detail | undefined> {
  const [manifest, bindings, declaration] = await Promise.all([
    db.selectFrom('manifests').selectAll().where('key', '=', key).executeTakeFirst(),
    db.selectFrom('bindings').selectAll().where('manifest_key', '=', key).orderBy('ordinal').execute(),
    db.selectFrom('declarations').selectAll().where('manifest_key', '=', key).executeTakeFirst(),
  ]);
  if (manifest === undefined) return undefined;
  return {
    manifest,
    bindings: bindings.map(({ alg, value, units, alternate }) => ({
      alg,
      value,
      units: unitList(units),
      isAlternate: alternate === 1,
    })),
    declaration,
  };
}

function unitList(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}
