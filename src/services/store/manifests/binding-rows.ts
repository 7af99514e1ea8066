/** Database rows of bindings, and their counts. */
import { type Insertable, sql, type Transaction } from 'kysely';
import type { BindingRow, BindingTable, Flag, Tables } from '../../../storage/database/tables.js';
import type { IndexedBinding } from '../validation/validator.js';

/** Rows per insert statement; far below the limits of both engines. */
const BINDINGS_PER_INSERT = 50;

export async function addToCounts(
  transaction: Transaction<Tables>,
  bindings: readonly { alg: string; alternate?: Flag | boolean }[],
): Promise<void> {
  for (const [alg, count] of countsByAlgorithm(bindings)) {
    await transaction
      .insertInto('binding_counts')
      .values({ alg, bindings: count })
      .onConflict((conflict) =>
        conflict.column('alg').doUpdateSet({ bindings: sql`binding_counts.bindings + ${count}` }),
      )
      .execute();
  }
}

/** Distinct searchable units of all bindings. */
export function searchableUnits(bindings: readonly IndexedBinding[]): Set<string> {
  return new Set(bindings.flatMap(unitTexts));
}

function unitTexts({ units }: IndexedBinding): string[] {
  return units.filter(({ searchable }) => searchable).map(({ iscc }) => iscc);
}

function countsByAlgorithm(
  bindings: readonly { alg: string; alternate?: Flag | boolean }[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { alg, alternate } of bindings) if (!alternate) counts.set(alg, (counts.get(alg) ?? 0) + 1);
  return counts;
}

/** The row of a binding without the column of added ones. */
export function bindingRow(
  manifest_key: number,
  ordinal: number,
  binding: IndexedBinding,
): Insertable<BindingTable> {
  return {
    manifest_key,
    ordinal,
    alg: binding.alg,
    value: binding.value,
    units: binding.units.length === 0 ? null : JSON.stringify(unitTexts(binding)),
    alternate: binding.alternate ? 1 : 0,
  };
}

/** Searchable units that rows of bindings have. */
export function unitsInRows(rows: readonly Pick<BindingRow, 'units'>[]): Set<string> {
  return new Set(rows.flatMap(({ units }) => JSON.parse(units ?? '[]') as string[]));
}

/** Writes the numbers of a manifest's bindings and units to its row. */
export async function countBindings(transaction: Transaction<Tables>, key: number): Promise<void> {
  const rows = await transaction
    .selectFrom('bindings')
    .select(['units', 'alternate'])
    .where('manifest_key', '=', key)
    .execute();
  const binding_count = rows.filter(({ alternate }) => alternate === 0).length;
  const unit_count = unitsInRows(rows).size;
  await transaction
    .updateTable('manifests')
    .set({ binding_count, unit_count })
    .where('key', '=', key)
    .execute();
}

/** Inserts the bindings of a manifest's file. */
export async function insertBindings(
  transaction: Transaction<Tables>,
  key: number,
  bindings: readonly IndexedBinding[],
): Promise<void> {
  const rows = bindings.map((binding, ordinal) => bindingRow(key, ordinal, binding));
  for (let at = 0; at < rows.length; at += BINDINGS_PER_INSERT) {
    await transaction
      .insertInto('bindings')
      .values(rows.slice(at, at + BINDINGS_PER_INSERT))
      .execute();
  }
}

/** @param which all bindings of the manifests, or those of their files */
export async function removeBindings(
  transaction: Transaction<Tables>,
  keys: readonly number[],
  which: 'all' | 'in-file' = 'all',
): Promise<void> {
  const all = transaction.deleteFrom('bindings').where('manifest_key', 'in', keys);
  const chosen = which === 'all' ? all : all.where('added', 'is', null);
  const removed = await chosen.returning(['alg', 'alternate']).execute();
  await subtractFromCounts(transaction, removed);
}

export async function subtractFromCounts(
  transaction: Transaction<Tables>,
  removed: readonly { alg: string; alternate?: Flag | boolean }[],
): Promise<void> {
  for (const [alg, count] of countsByAlgorithm(removed)) {
    await transaction
      .updateTable('binding_counts')
      .set({ bindings: sql`bindings - ${count}` })
      .where('alg', '=', alg)
      .execute();
  }
}
