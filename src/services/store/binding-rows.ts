/** Database rows of bindings, and their counts. */
import { type Insertable, sql, type Transaction } from 'kysely';
import type { BindingTable, Flag, Tables } from '../../storage/database/tables.js';
import type { IndexedBinding } from './validator.js';

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

export async function insertBindings(
  transaction: Transaction<Tables>,
  key: number,
  bindings: readonly IndexedBinding[],
): Promise<void> {
  const rows: Insertable<BindingTable>[] = bindings.map((binding, ordinal) => ({
    manifest_key: key,
    ordinal,
    alg: binding.alg,
    value: binding.value,
    units: binding.units.length === 0 ? null : JSON.stringify(unitTexts(binding)),
    alternate: binding.alternate ? 1 : 0,
  }));
  for (let at = 0; at < rows.length; at += BINDINGS_PER_INSERT) {
    await transaction
      .insertInto('bindings')
      .values(rows.slice(at, at + BINDINGS_PER_INSERT))
      .execute();
  }
}

export async function removeBindings(
  transaction: Transaction<Tables>,
  keys: readonly number[],
): Promise<void> {
  const removed = await transaction
    .deleteFrom('bindings')
    .where('manifest_key', 'in', keys)
    .returning(['alg', 'alternate'])
    .execute();
  for (const [alg, count] of countsByAlgorithm(removed)) {
    await transaction
      .updateTable('binding_counts')
      .set({ bindings: sql`bindings - ${count}` })
      .where('alg', '=', alg)
      .execute();
  }
}
