/** The units that are set aside, in the database of the watches: listed, confirmed and released by operators. */
import { z } from 'zod';
import type { Engine } from '../engine/port.js';
import { SearchRefusal } from '../errors.js';
import { storeSetAside } from '../watches/events.js';
import type { WatchHost } from '../watches/host.js';
import type { QuarantineTable, WatchDb } from '../watches/tables.js';
import type { Flood } from './counts.js';

/** Units of an index that are set aside: searches compare what they find with all of them. */
export const QUARANTINE_MAX = 1000;

export const states = z.enum(['set_aside', 'confirmed', 'released']);
export type QuarantineState = z.output<typeof states>;

/** What an operator decides. */
export const decision = z
  .strictObject({
    state: z
      .enum(['confirmed', 'released'])
      .describe(
        '`confirmed`: the unit stays set aside. `released`: it matches again, and the guard learns its new past',
      ),
  })
  .meta({ id: 'QuarantineDecision' });

export const quarantined = z
  .object({
    unit: z.string().describe('ISCC-UNIT'),
    state: states.describe(
      '`set_aside` by the guard, until an operator decides; `confirmed`; or `released`, until its past is known again',
    ),
    matches: z.int().min(0).describe('Answers in which it matched in the window in which it was set aside'),
    past: z.number().min(0).describe('Average of the windows before'),
    set_aside_at: z.string().describe('RFC 3339'),
    decided_at: z.string().nullable().describe('When an operator decided, in RFC 3339'),
  })
  .meta({ id: 'QuarantinedUnit' });

export type QuarantinedUnit = z.output<typeof quarantined>;

export interface QuarantineParts {
  readonly engine: Engine;
  readonly host: WatchHost;
  /** How long a released unit is listed. */
  readonly learningMs: number;
  /** Called after a change. */
  readonly onChange: () => Promise<void>;
}

/** An index has {@link QUARANTINE_MAX} units that are set aside. */
export class QuarantineFull extends Error {
  constructor(index: string) {
    super(`index ${index} has ${QUARANTINE_MAX} units that are set aside; release some, or raise the factor`);
  }
}

export class Quarantine {
  readonly #parts: QuarantineParts;

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
  }

  /** A page of units in the order of their texts. */
  async list(
    index: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ units: QuarantinedUnit[]; next: string | null }> {
    const { engine, host } = this.#parts;
    const id = await host.idOf(await engine.holdIndex(index));
    const db = await host.db();
    if (id === undefined || db === undefined) return { units: [], next: null };
    const rows = await db
      .selectFrom('quarantine')
      .selectAll()
      .where('index_id', '=', id)
      .where('unit', '>', after ?? '')
      .where(({ or, eb }) => or([eb('state', '!=', 'released'), eb('decided_at', '>', this.#learnt())]))
      .orderBy('unit')
      .limit(limit)
      .execute();
    return { units: rows.map(shown), next: rows.length < limit ? null : (rows.at(-1)?.unit ?? null) };
  }

  /** Confirms or releases a unit. @throws {SearchRefusal} if it is not listed */
  async decide(
    index: string,
    unit: string,
    state: z.output<typeof decision>['state'],
  ): Promise<QuarantinedUnit> {
    const { engine, host, onChange } = this.#parts;
    await engine.fresh?.();
    const held = await engine.holdIndex(index);
    const id = await host.idOf(held);
    if (id === undefined) throw new SearchRefusal('NOT_QUARANTINED', { unit });
    const row = await host.commit((transaction) =>
      transaction
        .updateTable('quarantine')
        .set({ state, decided_at: Date.now() })
        .where('index_id', '=', id)
        .where('unit', '=', unit)
        .returningAll()
        .executeTakeFirst(),
    );
    if (row === undefined) throw new SearchRefusal('NOT_QUARANTINED', { unit });
    await onChange();
    return shown(row);
  }

  /**
   * Sets a unit aside, unless it is listed already, and stores the events.
   *
   * @returns the name of the index if this process did it
   * @throws {QuarantineFull}
   */
  async setAside(held: string, unit: string, flood: Flood): Promise<string | undefined> {
    const { engine, host } = this.#parts;
    const { name } = JSON.parse((await engine.getIndex(held)).toString()) as { readonly name: string };
    return host.watch(held, async ({ transaction, index }) => {
      const all = transaction.selectFrom('quarantine').where('index_id', '=', index);
      const { units } = await all
        .select(({ fn }) => fn.countAll<number | string>().as('units'))
        .executeTakeFirstOrThrow();
      if (Number(units) >= QUARANTINE_MAX) throw new QuarantineFull(name);
      const row = { index_id: index, unit, state: 'set_aside', ...flood, set_aside_at: Date.now() } as const;
      const added = await transaction
        .insertInto('quarantine')
        .values({ ...row, decided_at: null })
        .onConflict((conflict) => conflict.columns(['index_id', 'unit']).doNothing())
        .returning('unit')
        .executeTakeFirst();
      if (added === undefined) return undefined;
      await storeSetAside(transaction, { ...row, name });
      return name;
    });
  }

  /** All units that are listed, by index. Forgets those whose past is known again. */
  async all(): Promise<readonly QuarantineTable[]> {
    const db = await this.#parts.host.db();
    if (db === undefined) return [];
    const rows = await db.selectFrom('quarantine').selectAll().execute();
    const isOver = ({ state, decided_at }: QuarantineTable) =>
      state === 'released' && (decided_at ?? 0) <= this.#learnt();
    if (rows.some(isOver)) await this.#forget();
    return rows.filter((row) => !isOver(row));
  }

  async #forget(): Promise<void> {
    await this.#parts.host.commit((transaction: WatchDb) =>
      transaction
        .deleteFrom('quarantine')
        .where('state', '=', 'released')
        .where('decided_at', '<=', this.#learnt())
        .execute(),
    );
  }

  /** Units released before this time have a known past. */
  #learnt(): number {
    return Date.now() - this.#parts.learningMs;
  }
}

function shown({ unit, state, matches, past, set_aside_at, decided_at }: QuarantineTable): QuarantinedUnit {
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    unit,
    state: states.parse(state),
    matches,
    past,
    set_aside_at: time(set_aside_at),
    decided_at: decided_at === null ? null : time(decided_at),
  };
}
