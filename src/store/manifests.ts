/** The rows of manifests, and the transactions that change them. */
import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import type { Db } from '../database/open.js';
import {
  type BindingTable,
  DECLARATION_STATUSES,
  type DeclarationInsert,
  type DeclarationStatus,
  type DeclarationUpdate,
  type Flag,
  type ManifestRow,
  type Tables,
} from '../database/tables.js';
import type { Declarer } from './declarer.js';
import { lockFeed, recordChanges } from './feed.js';
import type { IndexedBinding } from './validator.js';

/** A manifest with what clients see of its declaration. */
export interface StoredManifest {
  readonly key: number;
  readonly manifestId: string;
  readonly sha256: string;
  readonly size: number;
  readonly uploadedAt: number;
  readonly trusted: boolean;
  readonly live: boolean;
  readonly status: DeclarationStatus;
  readonly hub: string | null;
  readonly isccId: string | null;
}

export interface InsertedManifest {
  readonly row: Omit<ManifestRow, 'key' | 'live' | 'deleted_at' | 'binding_count' | 'unit_count'>;
  readonly bindings: readonly IndexedBinding[];
  readonly declaration: Omit<DeclarationInsert, 'manifest_key' | 'live'>;
}

/** How many declarations of live, or of deleted, manifests have a status. */
export interface DeclarationCount {
  readonly live: boolean;
  readonly status: DeclarationStatus;
  readonly declarations: number;
}

export interface BuriedManifest {
  readonly key: number;
  readonly sha256: string;
}

/** The file of a manifest went while its row was written: it has to be put again. */
export class FileVanished extends Error {
  override readonly name = 'FileVanished';
}

/** Values of one insert; far below what either engine takes. */
const BINDINGS_PER_INSERT = 50;

export class Manifests {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async findById(manifestId: string): Promise<StoredManifest | undefined> {
    const row = await stored(this.#db).where('m.manifest_id', '=', manifestId).executeTakeFirst();
    return row && storedManifest(row);
  }

  /** A live manifest of exactly these bytes. */
  async findLiveBytes(sha256: string): Promise<StoredManifest | undefined> {
    const row = await stored(this.#db)
      .where('m.sha256', '=', sha256)
      .where('m.live', '=', 1)
      .executeTakeFirst();
    return row && storedManifest(row);
  }

  async findByKeys(keys: readonly number[]): Promise<StoredManifest[]> {
    if (keys.length === 0) return [];
    const rows = await stored(this.#db).where('m.key', 'in', keys).execute();
    return rows.map(storedManifest);
  }

  /**
   * Stores a manifest with all that hangs on it; `undefined` if the id is taken. The file has to be there before.
   *
   * @throws {FileVanished} if a clean-up has taken the file for an orphan
   */
  insert({ row, bindings, declaration }: InsertedManifest, hasFile: () => Promise<boolean>) {
    return this.#db.transaction().execute(async (transaction) => {
      const counts = { binding_count: bindings.length, unit_count: searchableUnits(bindings).size };
      const inserted = await transaction
        .insertInto('manifests')
        .values({ ...row, ...counts, live: 1, deleted_at: null })
        .onConflict((conflict) => conflict.column('manifest_id').doNothing())
        .returning('key')
        .executeTakeFirst();
      if (inserted === undefined) return undefined;
      const { key } = inserted;
      await insertBindings(transaction, key, bindings);
      await transaction
        .insertInto('declarations')
        .values({ ...declaration, manifest_key: key, live: 1 })
        .execute();
      // From here to the commit nobody else commits a change, nor removes a file as unused.
      const sequence = await lockFeed(transaction);
      await recordChanges(transaction, sequence, [key], 1);
      if (!(await hasFile())) throw new FileVanished(`no file for change ${sequence}`);
      for (const [alg, count] of countsByAlgorithm(bindings)) {
        await transaction
          .insertInto('binding_counts')
          .values({ alg, bindings: count })
          .onConflict((conflict) =>
            conflict.column('alg').doUpdateSet({ bindings: sql`binding_counts.bindings + ${count}` }),
          )
          .execute();
      }
      return key;
    });
  }

  /** Makes live manifests tombstones, all or none; those that are none any more, or never were, are left out. */
  bury(keys: readonly number[], now: number, declarer: Declarer): Promise<BuriedManifest[]> {
    return this.#db.transaction().execute(async (transaction) => {
      // First of all, so that nobody who waits for it has a lock on one of the rows.
      const last = await lockFeed(transaction, keys.length);
      const buried = await transaction
        .updateTable('manifests')
        .set({ live: 0, deleted_at: now, binding_count: 0, unit_count: 0 })
        .where('key', 'in', keys)
        .where('live', '=', 1)
        .returning(['key', 'sha256'])
        .execute();
      if (buried.length === 0) return [];
      const dead = buried.map(({ key }) => key);
      await buryDeclarations(transaction, dead, now, declarer);
      await recordChanges(transaction, last, dead, 0);
      await removeBindings(transaction, dead);
      return buried;
    });
  }

  /** Frees the ids of tombstones whose declaration is not `declared`; gives how many. */
  release(keys: readonly number[], declarer: Declarer): Promise<number> {
    return this.#db.transaction().execute(async (transaction) => {
      const tombstones = await transaction
        .updateTable('manifests')
        .set({ live: 0 })
        .where('key', 'in', keys)
        .where('live', '=', 0)
        .returning('key')
        .execute();
      const found = tombstones.map(({ key }) => key);
      if (found.length === 0) return 0;
      const declarations = await transaction
        .selectFrom('declarations')
        .selectAll()
        .where('manifest_key', 'in', found)
        .execute();
      const kept = new Set<number | null>();
      for (const declaration of declarations) {
        if (declaration.status === 'declared') kept.add(declaration.manifest_key);
        else await declarer.onRelease(transaction, declaration);
      }
      const released = found.filter((key) => !kept.has(key));
      if (released.length === 0) return 0;
      await transaction.deleteFrom('manifests').where('key', 'in', released).execute();
      return released.length;
    });
  }

  /** Runs `remove` for the digests that no live manifest has, and none can get before it is done; gives how many. */
  whileUnused(digests: readonly string[], remove: (digest: string) => Promise<void>): Promise<number> {
    return this.#db.transaction().execute(async (transaction) => {
      await lockFeed(transaction);
      const users = await transaction
        .selectFrom('manifests')
        .select('sha256')
        .where('sha256', 'in', digests)
        .where('live', '=', 1)
        .execute();
      const used = new Set(users.map(({ sha256 }) => sha256));
      const unused = digests.filter((digest) => !used.has(digest));
      await Promise.all(unused.map(remove));
      return unused.length;
    });
  }

  /** Algorithms of live bindings. */
  async algorithms(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('binding_counts')
      .select('alg')
      .where('bindings', '>', 0)
      .execute();
    return rows.map(({ alg }) => alg);
  }

  /** Every status with the number of declarations that have it, also if there are none. */
  async declarationCounts(): Promise<DeclarationCount[]> {
    const rows = await this.#db
      .selectFrom('declarations')
      .select(['live', 'status', sql<number | string>`count(*)`.as('declarations')])
      .groupBy(['live', 'status'])
      .execute();
    return ([1, 0] as const).flatMap((live) =>
      DECLARATION_STATUSES.map((status) => {
        const found = rows.find((row) => row.live === live && row.status === status);
        return { live: isSet(live), status, declarations: Number(found?.declarations ?? 0) };
      }),
    );
  }

  /** Whether a declaration of a live manifest from before `uploadedBefore` waits for the hub. */
  async hasOldPending(uploadedBefore: number): Promise<boolean> {
    const found = await this.#db
      .selectFrom('declarations as d')
      .innerJoin('manifests as m', 'm.key', 'd.manifest_key')
      .select('m.key')
      .where('d.live', '=', 1)
      .where('d.status', '=', 'pending')
      .where('m.uploaded_at', '<', uploadedBefore)
      .orderBy('d.manifest_key')
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }
}

/** Distinct searchable units over all bindings. */
function searchableUnits(bindings: readonly IndexedBinding[]): Set<string> {
  return new Set(bindings.flatMap(unitTexts));
}

function unitTexts({ units }: IndexedBinding): string[] {
  return units.filter(({ searchable }) => searchable).map(({ iscc }) => iscc);
}

function countsByAlgorithm(bindings: readonly { alg: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { alg } of bindings) counts.set(alg, (counts.get(alg) ?? 0) + 1);
  return counts;
}

async function insertBindings(
  transaction: Transaction<Tables>,
  key: number,
  bindings: readonly IndexedBinding[],
): Promise<void> {
  const rows: BindingTable[] = bindings.map((binding, ordinal) => ({
    manifest_key: key,
    ordinal,
    alg: binding.alg,
    value: binding.value,
    units: binding.units.length === 0 ? null : JSON.stringify(unitTexts(binding)),
  }));
  for (let at = 0; at < rows.length; at += BINDINGS_PER_INSERT) {
    await transaction
      .insertInto('bindings')
      .values(rows.slice(at, at + BINDINGS_PER_INSERT))
      .execute();
  }
}

async function buryDeclarations(
  transaction: Transaction<Tables>,
  keys: readonly number[],
  now: number,
  declarer: Declarer,
): Promise<void> {
  // The update locks the rows: what the declarer decides on is what will be changed.
  const rows = await transaction
    .updateTable('declarations')
    .set({ live: 0, updated_at: now })
    .where('manifest_key', 'in', keys)
    .returningAll()
    .execute();
  // Many declarations, few ways in which they change.
  const ways = new Map<string, { change: DeclarationUpdate; keys: number[] }>();
  for (const row of rows) {
    const change = declarer.onTombstone(row);
    if (Object.keys(change).length === 0) continue;
    const way = ways.get(JSON.stringify(change)) ?? { change, keys: [] };
    way.keys.push(row.key);
    ways.set(JSON.stringify(change), way);
  }
  for (const { change, keys } of ways.values()) {
    await transaction.updateTable('declarations').set(change).where('key', 'in', keys).execute();
  }
}

async function removeBindings(transaction: Transaction<Tables>, keys: readonly number[]): Promise<void> {
  const removed = await transaction
    .deleteFrom('bindings')
    .where('manifest_key', 'in', keys)
    .returning('alg')
    .execute();
  for (const [alg, count] of countsByAlgorithm(removed)) {
    await transaction
      .updateTable('binding_counts')
      .set({ bindings: sql`bindings - ${count}` })
      .where('alg', '=', alg)
      .execute();
  }
}

function stored(db: Db) {
  return db
    .selectFrom('manifests as m')
    .innerJoin('declarations as d', 'd.manifest_key', 'm.key')
    .select([
      'm.key',
      'm.manifest_id',
      'm.sha256',
      'm.size',
      'm.uploaded_at',
      'm.trusted',
      'm.live',
      'd.status',
      'd.hub',
      'd.iscc_id',
    ]);
}

type StoredRow =
  ReturnType<typeof stored> extends SelectQueryBuilder<infer _D, infer _T, infer O> ? O : never;

function storedManifest(row: StoredRow): StoredManifest {
  return {
    key: row.key,
    manifestId: row.manifest_id,
    sha256: row.sha256,
    size: row.size,
    uploadedAt: row.uploaded_at,
    trusted: isSet(row.trusted),
    live: isSet(row.live),
    status: row.status,
    hub: row.hub,
    isccId: row.iscc_id,
  };
}

function isSet(flag: Flag): boolean {
  return flag === 1;
}
