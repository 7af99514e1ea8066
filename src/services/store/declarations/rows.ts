/** Declarations in the database, and the lease that gives one process at a time a row. */
import { randomUUID } from 'node:crypto';
import type { DeleteQueryBuilder, DeleteResult, Transaction } from 'kysely';
import type { Db, DeclarationRow, DeclarationUpdate, Tables } from '../../../storage/database/tables.js';
import { CLOCK_SKEW_MS, isLeaseOver } from '../../../storage/feed/lease.js';
import { lockFeed, recordChanges } from '../feed.js';
import { type EventLog, NO_EVENTS } from '../webhooks/events.js';
import type { DeclaredContent } from './declared-content.js';
import { hubIdOf, type Note } from './iscc-note.js';
import { isOpen, type Owner, type State, type Uncertainty } from './state.js';
import { ISCC_ID_UNKNOWN_START } from './transitions.js';

/** A declaration leased to this process. Each save renews the lease. */
export interface Leased {
  readonly key: number;
  readonly lease: string;
  /** `undefined` if there was nothing to declare. */
  readonly content: DeclaredContent | undefined;
  /** From the last note, or from the configuration at the time of the upload. */
  readonly hubId: number;
  readonly state: State;
}

/** The lease expired while this process was stalled, and another one has taken the row. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export class DeclarationRows {
  readonly #db: Db;
  readonly #hub: string;
  readonly #leaseMs: number;
  readonly #events: EventLog;

  /**
   * @param leaseMs longer than any work between two saves
   * @param events for the webhook receiver
   */
  constructor(db: Db, hub: string, leaseMs: number, events: EventLog = NO_EVENTS) {
    this.#events = events;
    this.#db = db;
    this.#hub = hub;
    this.#leaseMs = leaseMs;
  }

  /** Open declarations without an attempt since `before`, longest waiting first. */
  async due(before: number, now: number, count: number): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('declarations')
      .select('key')
      .where('open', '=', 1)
      .where((or) => or.or([or('attempted_at', '<', before), or('attempted_at', '>', now + CLOCK_SKEW_MS)]))
      .where('hub', '=', this.#hub)
      .where(isLeaseOver(now, this.#leaseMs))
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

  /** Leases a row for an attempt; `undefined` if the row is missing or leased. */
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
      .where(isLeaseOver(now, this.#leaseMs))
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? undefined : { ...fromRow(row), lease };
  }

  /**
   * Stores a state durably. The caller saves before it performs the effect. At rest, the lease is released.
   *
   * @returns the state, updated if the manifest was deleted in the meantime
   * @throws {LeaseLost}
   */
  async save(leased: Leased, now: number): Promise<State> {
    const { key, state } = leased;
    const row = await this.#write(leased, now);
    if (row === undefined) throw new LeaseLost(`declaration ${key}`);
    if (state.step.at === 'rest' && row.manifest_key === null) await this.#drop(key);
    return { ...state, live: row.live === 1 };
  }

  /** Writes a state and, in the same transaction, the event that reports it, and the change if it has an ISCC-ID. */
  #write(leased: Leased, now: number): Promise<SavedRow | undefined> {
    const { state } = leased;
    const news = this.#events.isOn ? newsOf(state) : undefined;
    if (news === undefined && !isDeclared(state)) return this.#update(this.#db, leased, now);
    return this.#db.transaction().execute(async (transaction) => {
      // First, as all transactions that record changes do: otherwise two could wait for each other.
      const sequence = isDeclared(state) ? await lockFeed(transaction) : undefined;
      const row = await this.#update(transaction, leased, now);
      if (row?.live !== 1) return row;
      if (sequence !== undefined && row.manifest_key !== null)
        await recordChanges(transaction, sequence, [row.manifest_key], 1);
      if (news !== undefined && row.notified !== news) await this.#report(transaction, leased, row, news);
      return row;
    });
  }

  async #report(
    transaction: Transaction<Tables>,
    { key, state }: Leased,
    { manifest_key }: SavedRow,
    news: string,
  ): Promise<void> {
    await transaction.updateTable('declarations').set({ notified: news }).where('key', '=', key).execute();
    const manifest = await transaction
      .selectFrom('manifests')
      .select('manifest_id')
      .where('key', '=', manifest_key)
      .executeTakeFirst();
    if (manifest === undefined) return;
    const about = { manifestId: manifest.manifest_id, manifestUrl: state.gateway, hub: this.#hub };
    const { isccId, error = '' } = state;
    await this.#events.record(transaction, [
      state.status === 'declared' && isccId !== undefined
        ? { type: 'declaration.declared', data: { ...about, isccId } }
        : { type: 'declaration.failed', data: { ...about, error } },
    ]);
  }

  #update(db: Db, { key, lease, hubId, state }: Leased, now: number): Promise<SavedRow | undefined> {
    const resting = state.step.at === 'rest';
    return db
      .updateTable('declarations')
      .set((row) => ({
        ...toRow(state, hubId),
        // A concurrent delete has opened the row: it must stay open.
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
      .returning(['live', 'manifest_key', 'notified'])
      .executeTakeFirst();
  }

  /** Releases a row after a failed attempt. The state saved last stays, and a later attempt continues from it. */
  async release({ key, lease }: Leased, error: string, now: number): Promise<void> {
    await this.#db
      .updateTable('declarations')
      .set({ error, lease: null, leased_until: null, updated_at: now })
      .where('key', '=', key)
      .where('lease', '=', lease)
      .execute();
  }

  /** Whether another row of this store claims an ISCC-ID. */
  async owner({ key, content, state }: Leased, isccId: string): Promise<Owner> {
    const others = this.#db
      .selectFrom('declarations')
      .select('key')
      .where('hub', '=', this.#hub)
      .where('key', '!=', key);
    const exists = async (query: typeof others) => (await query.executeTakeFirst()) !== undefined;
    const alike = others.where('datahash', '=', content?.datahash ?? null);
    const unknown = alike.where('error', 'like', `${ISCC_ID_UNKNOWN_START}%`);
    if (await exists(unknown.where('gateway', '=', state.gateway))) return 'predecessor';
    if (await exists(others.where('iscc_id', '=', isccId))) return 'other';
    return (await exists(unknown)) || (await exists(alike.where('uncertainty', 'is not', null)))
      ? 'unsure'
      : 'none';
  }

  /** The ISCC-IDs in the list that belong to other rows of this store. */
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

  /** Earlier unfinished declarations to this hub of deleted manifests at the same address. */
  async unsettledBefore({ key, state }: Leased): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('declarations')
      .select('key')
      .where('gateway', '=', state.gateway)
      .where('hub', '=', this.#hub)
      .where('key', '<', key)
      .where('open', '=', 1)
      .where('live', '=', 0)
      .execute();
    return rows.map((row) => row.key);
  }

  /** Whether a later live manifest at the same address is waiting to be declared. */
  async hasSuccessor({ key, state }: Leased): Promise<boolean> {
    const successor = await this.#db
      .selectFrom('declarations')
      .select('key')
      .where('gateway', '=', state.gateway)
      .where('hub', '=', this.#hub)
      .where('key', '>', key)
      .where('live', '=', 1)
      .where('status', 'in', ['pending', 'failed'])
      .executeTakeFirst();
    return successor !== undefined;
  }

  /** Deletes the settled row of a released manifest. */
  async #drop(key: number): Promise<void> {
    await settledRow(this.#db, key).where('manifest_key', 'is', null).execute();
  }
}

/**
 * Deletes a row that is settled. A row with an unknown ISCC-ID stays: without it, a hub that has no lookup would give
 * its declaration to another manifest of the same asset.
 */
export function settledRow(db: Db, key: number): DeleteQueryBuilder<Tables, 'declarations', DeleteResult> {
  return db
    .deleteFrom('declarations')
    .where('key', '=', key)
    .where('open', '=', 0)
    .where((or) => or.or([or('error', 'is', null), or('error', 'not like', `${ISCC_ID_UNKNOWN_START}%`)]));
}

type SavedRow = Pick<DeclarationRow, 'live' | 'manifest_key' | 'notified'>;

function isDeclared({ status, isccId, step }: State): boolean {
  return step.at === 'rest' && status === 'declared' && isccId !== undefined;
}

/** What a settled state is for the webhook receiver; `undefined` if it is not reported. */
function newsOf(state: State): string | undefined {
  const { status, isccId, step } = state;
  if (step.at !== 'rest') return undefined;
  if (isDeclared(state)) return `declared ${isccId}`;
  return status === 'failed' ? 'failed' : undefined;
}

/** A state as database columns. */
export function toRow(state: State, hubId: number): DeclarationUpdate {
  return {
    status: state.status,
    note: state.note === undefined ? null : JSON.stringify(state.note),
    forced: state.forced ? 1 : 0,
    hub_id: state.note === undefined ? hubId : hubIdOf(state.note.nonce),
    uncertainty: state.uncertainty === undefined ? null : JSON.stringify(state.uncertainty),
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
    uncertainty: parse<Uncertainty>(row.uncertainty),
    isccId: row.iscc_id ?? undefined,
    pubkey: row.pubkey ?? undefined,
    error: row.error ?? undefined,
    step: { at: 'rest' },
  };
  return { key: row.key, content: parse<DeclaredContent>(row.fields), hubId: row.hub_id ?? 0, state };
}

/** Reads JSON columns that only this file writes. */
function parse<T>(json: string | null): T | undefined {
  return json === null ? undefined : (JSON.parse(json) as T);
}
