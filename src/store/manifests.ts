/** Database rows of manifests, and the transactions that change them. */
import { type Insertable, type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { commitDurably } from '../database/commit.js';
import type { Db } from '../database/open.js';
import {
  type BindingTable,
  DECLARATION_STATUSES,
  type DeclarationStatus,
  type DeclarationUpdate,
  type Flag,
  type ManifestTable,
  type Tables,
} from '../database/tables.js';
import { dropSettled, onTombstone } from './declarations/on-delete.js';
import type { NewDeclaration } from './declarer.js';
import { lockFeed, recordChanges } from './feed.js';
import type { IndexedBinding } from './validator.js';

/** A manifest and the public part of its declaration. */
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

export interface ManifestToStore {
  readonly manifestId: string;
  readonly sha256: string;
  readonly size: number;
  readonly uploadedAt: number;
  readonly trusted: boolean;
  /** Keyed hash of the client's address. */
  readonly uploader: string;
  readonly bindings: readonly IndexedBinding[];
  readonly declaration: NewDeclaration;
}

/** Number of declarations with a status, for live or for deleted manifests. */
export interface DeclarationCount {
  readonly live: boolean;
  readonly status: DeclarationStatus;
  readonly declarations: number;
}

/** A live manifest to index again. */
export interface OutdatedManifest {
  readonly key: number;
  readonly manifestId: string;
  readonly sha256: string;
}

export interface Tombstone {
  readonly key: number;
  readonly sha256: string;
}

/** The clean-up removed the manifest's file while its row was written. The caller has to write the file again. */
export class FileVanished extends Error {
  override readonly name = 'FileVanished';
}

/**
 * Version of the rules by which bindings are indexed. A change of the rules increments it, and the next start indexes
 * older manifests again. 1: text values have two readings.
 */
export const INDEX_VERSION = 1;
/** Rows per insert statement; far below the limits of both engines. */
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

  /** The live manifest with exactly these bytes. */
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
   * Stores a manifest, its bindings, its declaration and the change in one transaction. The file must exist before.
   *
   * @returns the key, or `undefined` if the id is taken
   * @throws {FileVanished} if the clean-up removed the file as an orphan
   */
  insert(manifest: ManifestToStore, hasFile: () => Promise<boolean>): Promise<number | undefined> {
    const { bindings, declaration } = manifest;
    return commitDurably(this.#db, async (transaction) => {
      const inserted = await transaction
        .insertInto('manifests')
        .values(manifestRow(manifest))
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
      // From here to the commit no other process commits a change or removes a file as unused.
      const sequence = await lockFeed(transaction);
      await recordChanges(transaction, sequence, [key], 1);
      if (!(await hasFile())) throw new FileVanished(`no file for change ${sequence}`);
      await addToCounts(transaction, bindings);
      return key;
    });
  }

  /** Turns live manifests into tombstones in one transaction. Keys that are not live manifests are ignored. */
  tombstone(keys: readonly number[], now: number): Promise<Tombstone[]> {
    return commitDurably(this.#db, async (transaction) => {
      // The feed lock comes first, so that no transaction waits for it while it holds a lock on one of the rows.
      const last = await lockFeed(transaction, keys.length);
      const tombstones = await transaction
        .updateTable('manifests')
        .set({ live: 0, deleted_at: now, binding_count: 0, unit_count: 0 })
        .where('key', 'in', keys)
        .where('live', '=', 1)
        .returning(['key', 'sha256'])
        .execute();
      if (tombstones.length === 0) return [];
      const deleted = tombstones.map(({ key }) => key);
      await updateDeclarations(transaction, deleted, now);
      await recordChanges(transaction, last, deleted, 0);
      await removeBindings(transaction, deleted);
      return tombstones;
    });
  }

  /** Frees the ids of tombstones whose declaration is not `declared`. Returns their number. */
  release(keys: readonly number[]): Promise<number> {
    return commitDurably(this.#db, async (transaction) => {
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
        else await dropSettled(transaction, declaration);
      }
      const released = found.filter((key) => !kept.has(key));
      if (released.length === 0) return 0;
      await transaction.deleteFrom('manifests').where('key', 'in', released).execute();
      return released.length;
    });
  }

  /**
   * Calls `remove` for the digests that no live manifest has. No manifest can get one of them before `remove` ends.
   *
   * @returns the number of calls
   */
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

  /** Live manifests above `after` that were indexed by older rules, in order. */
  async indexedBefore(version: number, after: number, limit: number): Promise<OutdatedManifest[]> {
    const rows = await this.#db
      .selectFrom('manifests')
      .select(['key', 'manifest_id', 'sha256'])
      .where('live', '=', 1)
      .where('index_version', '<', version)
      .where('key', '>', after)
      .orderBy('key')
      .limit(limit)
      .execute();
    return rows.map(({ key, manifest_id, sha256 }) => ({ key, manifestId: manifest_id, sha256 }));
  }

  /** Replaces the bindings of a live manifest; does nothing if it was deleted in the meantime. */
  replaceBindings(key: number, bindings: readonly IndexedBinding[]): Promise<void> {
    return commitDurably(this.#db, async (transaction) => {
      const sequence = await lockFeed(transaction);
      const { numUpdatedRows } = await transaction
        .updateTable('manifests')
        .set(indexColumns(bindings))
        .where('key', '=', key)
        .where('live', '=', 1)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      await removeBindings(transaction, [key]);
      await insertBindings(transaction, key, bindings);
      await addToCounts(transaction, bindings);
      await recordChanges(transaction, sequence, [key], 1);
    });
  }

  /** Marks a manifest as indexed by the current rules, without a change of its bindings. */
  async keepBindings(key: number): Promise<void> {
    const current = { index_version: INDEX_VERSION };
    await this.#db.updateTable('manifests').set(current).where('key', '=', key).execute();
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

  /** The number of declarations with each status, zeros included. */
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

  /** Whether a live manifest uploaded before `uploadedBefore` has a pending declaration. */
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

async function addToCounts(
  transaction: Transaction<Tables>,
  bindings: readonly IndexedBinding[],
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

function manifestRow({
  manifestId,
  uploadedAt,
  trusted,
  bindings,
  ...rest
}: ManifestToStore): Insertable<ManifestTable> {
  return {
    manifest_id: manifestId,
    sha256: rest.sha256,
    size: rest.size,
    uploaded_at: uploadedAt,
    trusted: trusted ? 1 : 0,
    uploader: rest.uploader,
    live: 1,
    deleted_at: null,
    ...indexColumns(bindings),
  };
}

/** Columns of a manifest that depend on its bindings. */
function indexColumns(bindings: readonly IndexedBinding[]) {
  return {
    binding_count: bindings.filter(({ alternate }) => !alternate).length,
    unit_count: searchableUnits(bindings).size,
    index_version: INDEX_VERSION,
  };
}

/** Distinct searchable units of all bindings. */
function searchableUnits(bindings: readonly IndexedBinding[]): Set<string> {
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

async function insertBindings(
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

async function updateDeclarations(
  transaction: Transaction<Tables>,
  keys: readonly number[],
  now: number,
): Promise<void> {
  // This update locks the rows, so they can't change between the decision and the second update.
  const rows = await transaction
    .updateTable('declarations')
    .set({ live: 0, updated_at: now })
    .where('manifest_key', 'in', keys)
    .returningAll()
    .execute();
  // One statement per distinct change: there are many declarations, but few different changes.
  const groups = new Map<string, { change: DeclarationUpdate; keys: number[] }>();
  for (const row of rows) {
    const change = onTombstone(row);
    if (Object.keys(change).length === 0) continue;
    const group = groups.get(JSON.stringify(change)) ?? { change, keys: [] };
    group.keys.push(row.key);
    groups.set(JSON.stringify(change), group);
  }
  for (const { change, keys } of groups.values()) {
    await transaction.updateTable('declarations').set(change).where('key', 'in', keys).execute();
  }
}

async function removeBindings(transaction: Transaction<Tables>, keys: readonly number[]): Promise<void> {
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
