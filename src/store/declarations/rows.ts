/** Declarations in the database: states in and out, and the lease that keeps two processes off one row. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../database/open.js';
import type { DeclarationRow, DeclarationUpdate } from '../../database/tables.js';
import type { DeclaredContent } from './declared-content.js';
import { hubIdOf, type Note } from './iscc-note.js';
import { isOpen, type Owner, type State, type Uncertainty } from './state.js';
import { ISCC_ID_UNKNOWN } from './transitions.js';

/** A declaration that this process works on, alone, while it keeps saving it. */
export interface Leased {
  readonly key: number;
  readonly lease: string;
  /** `undefined` where there was nothing to declare. */
  readonly content: DeclaredContent | undefined;
  /** Of the last note, or of the configuration when the manifest was uploaded. */
  readonly hubId: number;
  readonly state: State;
}

/** Another process works on it now: the lease ran out while this one did not move. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export class DeclarationRows {
  readonly #db: Db;
  readonly #hub: string;
  readonly #leaseMs: number;

  /** @param leaseMs longer than anything that is done between two saves */
  constructor(db: Db, hub: string, leaseMs: number) {
    this.#db = db;
    this.#hub = hub;
    this.#leaseMs = leaseMs;
  }

  /** Declarations with work to do that nobody has tried since `before`, those waiting longest first. */
  async due(before: number, now: number, count: number): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('declarations')
      .select('key')
      .where('open', '=', 1)
      .where('attempted_at', '<', before)
      .where('hub', '=', this.#hub)
      .where((or) => or.or([or('leased_until', 'is', null), or('leased_until', '<', now)]))
      .orderBy('attempted_at')
      .orderBy('key')
      .limit(count)
      .execute();
    return rows.map(({ key }) => key);
  }

  /** Open declarations of these manifests. */
  async openOf(manifestKeys: readonly number[]): Promise<number[]> {
    if (manifestKeys.length === 0) return [];
    const rows = await this.#db
      .selectFrom('declarations')
      .select('key')
      .where('manifest_key', 'in', manifestKeys)
      .where('open', '=', 1)
      .where('hub', '=', this.#hub)
      .execute();
    return rows.map(({ key }) => key);
  }

  /** Takes a row for an attempt; `undefined` if there is none, or another attempt has it. */
  async lease(key: number, now: number): Promise<Leased | undefined> {
    const lease = randomUUID();
    const row = await this.#db
      .updateTable('declarations')
      .set((row) => ({
        lease,
        leased_until: now + this.#leaseMs,
        attempts: row('attempts', '+', 1),
        attempted_at: now,
      }))
      .where('key', '=', key)
      .where('hub', '=', this.#hub)
      .where((or) => or.or([or('leased_until', 'is', null), or('leased_until', '<', now)]))
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? undefined : { ...fromRow(row), lease };
  }

  /**
   * Stores a state, durably, before anything is done that it speaks of. At rest the row is given back.
   *
   * @returns the state, with a delete that came meanwhile
   * @throws {LeaseLost}
   */
  async save({ key, lease, hubId, state }: Leased, now: number): Promise<State> {
    const resting = state.step.at === 'rest';
    const row = await this.#db
      .updateTable('declarations')
      .set((row) => ({
        ...toRow(state, hubId),
        // A delete that this attempt does not know of has opened the row, and it stays so.
        open: row
          .case()
          .when('live', '=', state.live ? 1 : 0)
          .then(isOpen(state) ? (1 as const) : (0 as const))
          .else(1 as const)
          .end(),
        lease: resting ? null : lease,
        leased_until: resting ? null : now + this.#leaseMs,
        updated_at: now,
      }))
      .where('key', '=', key)
      .where('lease', '=', lease)
      .returning(['live', 'manifest_key'])
      .executeTakeFirst();
    if (row === undefined) throw new LeaseLost(`declaration ${key}`);
    if (resting && row.manifest_key === null) await this.#drop(key);
    return { ...state, live: row.live === 1 };
  }

  /** Gives a row back whose attempt broke off; what was saved before stays, and it is tried again. */
  async release({ key, lease }: Leased, error: string, now: number): Promise<void> {
    await this.#db
      .updateTable('declarations')
      .set({ error, lease: null, leased_until: null, updated_at: now })
      .where('key', '=', key)
      .where('lease', '=', lease)
      .execute();
  }

  /** Whose an ISCC-ID may be, other than this declaration's. */
  async owner({ key, content }: Leased, isccId: string): Promise<Owner> {
    const others = this.#db.selectFrom('declarations').select('key').where('hub', '=', this.#hub);
    const held = others.where('iscc_id', '=', isccId).where('key', '!=', key);
    if ((await held.executeTakeFirst()) !== undefined) return 'other';
    const unsure = others
      .where('datahash', '=', content?.datahash ?? null)
      .where('key', '!=', key)
      .where((or) => or.or([or('doubt', 'is not', null), or('error', '=', ISCC_ID_UNKNOWN)]));
    return (await unsure.executeTakeFirst()) === undefined ? 'none' : 'unsure';
  }

  /** Which of these ISCC-IDs other declarations of this store hold. */
  async ownedByOthers(key: number, isccIds: readonly string[]): Promise<ReadonlySet<string | null>> {
    if (isccIds.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('declarations')
      .select('iscc_id')
      .where('hub', '=', this.#hub)
      .where('iscc_id', 'in', isccIds)
      .where('key', '!=', key)
      .execute();
    return new Set(rows.map(({ iscc_id }) => iscc_id));
  }

  /** Declarations of deleted manifests at the same address that are not settled. */
  async unsettledBefore({ key, state }: Leased): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('declarations')
      .select('key')
      .where('gateway', '=', state.gateway)
      .where('key', '<', key)
      .where('open', '=', 1)
      .where('live', '=', 0)
      .execute();
    return rows.map((row) => row.key);
  }

  /** Whether a live manifest at the same address is to be declared. */
  async hasSuccessor({ key, state }: Leased): Promise<boolean> {
    const successor = await this.#db
      .selectFrom('declarations')
      .select('key')
      .where('gateway', '=', state.gateway)
      .where('key', '>', key)
      .where('live', '=', 1)
      .where('status', 'in', ['pending', 'failed'])
      .executeTakeFirst();
    return successor !== undefined;
  }

  /** Rows whose manifest is gone are kept until they are settled, and no longer. */
  async #drop(key: number): Promise<void> {
    await this.#db
      .deleteFrom('declarations')
      .where('key', '=', key)
      .where('manifest_key', 'is', null)
      .where('open', '=', 0)
      .execute();
  }
}

/** The columns that a state is kept in. */
export function toRow(state: State, hubId: number): DeclarationUpdate {
  return {
    status: state.status,
    note: state.note === undefined ? null : JSON.stringify(state.note),
    forced: state.forced ? 1 : 0,
    hub_id: state.note === undefined ? hubId : hubIdOf(state.note.nonce),
    doubt: state.uncertainty === undefined ? null : JSON.stringify(state.uncertainty),
    iscc_id: state.isccId ?? null,
    pubkey: state.pubkey ?? null,
    error: state.error ?? null,
  };
}

export function fromRow(row: DeclarationRow): Omit<Leased, 'lease'> {
  const state: State = {
    status: row.status,
    live: row.live === 1,
    gateway: row.gateway,
    note: parse<Note>(row.note),
    forced: row.forced === 1,
    uncertainty: parse<Uncertainty>(row.doubt),
    isccId: row.iscc_id ?? undefined,
    pubkey: row.pubkey ?? undefined,
    error: row.error ?? undefined,
    step: { at: 'rest' },
  };
  return { key: row.key, content: parse<DeclaredContent>(row.fields), hubId: row.hub_id ?? 0, state };
}

/** Of columns that only this file writes. */
function parse<T>(json: string | null): T | undefined {
  return json === null ? undefined : (JSON.parse(json) as T);
}
