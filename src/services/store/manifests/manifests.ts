/** Database rows of manifests, and the transactions that change them. */
import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import { type Actor, recordAudit } from '../../../storage/database/audit.js';
import { fillCatalogue } from '../../../storage/database/catalogue.js';
import { outdateLive } from '../../../storage/database/live-manifests.js';
import type { Db } from '../../../storage/database/tables.js';
import {
  DECLARATION_STATUSES,
  type DeclarationStatus,
  type Flag,
  type ManifestTable,
} from '../../../storage/database/tables.js';
import { dropSettled } from '../declarations/on-delete.js';
import type { NewDeclaration } from '../declarer.js';
import { holdFeed, lockFeed, recordChanges } from '../feed.js';
import { appendToLog, loggedAs } from '../log/entries.js';
import type { AcceptedManifest } from '../validation/validator.js';
import { type EventLog, NO_EVENTS, type StoreEvent } from '../webhooks/events.js';
import { addToCounts, insertBindings } from './binding-rows.js';
import { type Claim, claim } from './claim.js';
import { Commits } from './commits.js';
import { reportColumns } from './judgement.js';
import { bury, displace, freedId, type Tombstone } from './tombstones.js';
import { abandonUndo, endUndo, type Restore, restoreKept } from './undo.js';

/** Algorithms that are not on the list and are named nevertheless: anyone may upload manifests with any names. */
const UNLISTED_NAMED_MAX = 100;

/** A manifest and the public part of its declaration. */
export interface StoredManifest {
  readonly key: number;
  readonly manifestId: string;
  readonly sha256: string;
  readonly size: number;
  readonly uploadedAt: number;
  readonly trusted: boolean;
  readonly live: boolean;
  /** Owner of the upload token; null for an anonymous upload. */
  readonly publisher: string | null;
  readonly status: DeclarationStatus;
  readonly hub: string | null;
  readonly isccId: string | null;
}

export interface ManifestToStore {
  readonly manifestId: string;
  readonly sha256: string;
  readonly size: number;
  readonly uploadedAt: number;
  /** Keyed hash of the client's address. */
  readonly uploader: string;
  /** Owner of the upload token. */
  readonly publisher?: string | undefined;
  readonly report: AcceptedManifest;
  readonly declaration: NewDeclaration;
}

export type RestoreOptions = Omit<Restore, 'last' | 'events'>;

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

/** The clean-up removed the manifest's file while its row was written. The caller has to write the file again. */
export class FileVanished extends Error {
  override readonly name = 'FileVanished';
}

export class Manifests {
  readonly #db: Db;
  readonly #events: EventLog;
  readonly commits: Commits;

  /** @param events for the webhook receiver */
  constructor(db: Db, events: EventLog = NO_EVENTS) {
    this.#db = db;
    this.commits = new Commits(db);
    this.#events = events;
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

  /** Whether a live manifest, or a deleted one that can be restored, has these bytes. */
  async isUsed(sha256: string): Promise<boolean> {
    return (await usedDigests(this.#db, [sha256])).size > 0;
  }

  /** JSON of what a manifest says; null if it has not been validated since such summaries exist. */
  async summary(key: number): Promise<string | null> {
    const row = await this.#db
      .selectFrom('manifests')
      .select('summary')
      .where('key', '=', key)
      .executeTakeFirst();
    return row?.summary ?? null;
  }

  async findByKeys(keys: readonly number[]): Promise<StoredManifest[]> {
    if (keys.length === 0) return [];
    const rows = await stored(this.#db).where('m.key', 'in', keys).execute();
    return rows.map(storedManifest);
  }

  /**
   * Stores a manifest, its bindings, its declaration and the change in one transaction. The file must exist before.
   *
   * @param displaced key of a live manifest that becomes a tombstone without its id in the same transaction
   * @returns the key, or `undefined` if the id is taken or the displaced manifest is no longer live
   * @throws {FileVanished} if the clean-up removed the file as an orphan
   */
  insert(
    manifest: ManifestToStore,
    hasFile: () => Promise<boolean>,
    displaced?: number,
  ): Promise<number | undefined> {
    const { report, declaration } = manifest;
    const { bindings } = report;
    return this.commits.run(async (transaction) => {
      // Keys become visible in their order, so that a client that lists manifests after a key misses none.
      await holdFeed(transaction);
      if (displaced !== undefined) {
        const isDone = await displace(transaction, displaced, manifest.uploadedAt, this.#events);
        if (!isDone) return undefined;
      }
      const inserted = await transaction
        .insertInto('manifests')
        .values(manifestRow(manifest))
        .onConflict((conflict) => conflict.column('manifest_id').doNothing())
        .returning('key')
        .executeTakeFirst();
      if (inserted === undefined) return undefined;
      const { key } = inserted;
      await fillCatalogue(transaction, [key]);
      await insertBindings(transaction, key, bindings);
      await transaction
        .insertInto('declarations')
        .values({ ...declaration, manifest_key: key, live: 1 })
        .execute();
      await this.#events.record(transaction, [storedEvent(manifest)]);
      await appendToLog(transaction, [{ ...manifest, act: 'stored', at: manifest.uploadedAt, key }]);
      // No other process commits a change or removes a file as unused meanwhile.
      const sequence = await lockFeed(transaction);
      await recordChanges(transaction, sequence, [key], 1);
      if (!(await hasFile())) throw new FileVanished(`no file for change ${sequence}`);
      await addToCounts(transaction, bindings);
      if (displaced !== undefined) {
        await transaction
          .updateTable('manifests')
          .set({ displaced_by: key })
          .where('key', '=', displaced)
          .execute();
      }
      return key;
    });
  }

  /**
   * Turns live manifests into tombstones in one transaction. Keys that are not live manifests are ignored.
   *
   * @param keptUntil until when they can be restored; `undefined`: not at all
   */
  tombstone(
    keys: readonly number[],
    now: number,
    actor: Actor,
    keptUntil?: number | undefined,
  ): Promise<Tombstone[]> {
    return this.commits.run(async (transaction) => {
      // The feed lock comes first, so that no transaction waits for it while it holds a lock on one of the rows.
      const last = await lockFeed(transaction, keys.length);
      const options = { now, last, actor, keptUntil, events: this.#events };
      return bury(transaction, keys, { ...options, action: 'manifest-deleted' });
    });
  }

  /**
   * Makes tombstones live again whose bytes are kept. Others are skipped.
   *
   * @param hasFile called under the lock of the feed, so that no file is removed before the commit
   * @returns the keys of the restored manifests
   */
  restore(keys: readonly number[], { now, actor, target, hasFile }: RestoreOptions): Promise<number[]> {
    return this.commits.run(async (transaction) => {
      const last = await lockFeed(transaction, keys.length);
      const options = { now, last, actor, target, hasFile, events: this.#events };
      return restoreKept(transaction, keys, options);
    });
  }

  /** Like {@link claim}. */
  readonly claim = (...wanted: Claim) => claim(this.#db, ...wanted);

  /** Ends the undo of these tombstones now. */
  abandonUndo(keys: readonly number[]): Promise<void> {
    return this.#db.transaction().execute((transaction) => abandonUndo(transaction, keys));
  }

  /** Ends the undo of tombstones whose time is over. @param undoMs present limit after a delete */
  endUndo(now: number, undoMs: number): Promise<number> {
    return endUndo(this.#db, now, undoMs);
  }

  /** Frees the ids of tombstones whose declaration is not `declared`. They can't be restored any more. */
  release(keys: readonly number[], actor: Actor): Promise<Tombstone[]> {
    return this.commits.run(async (transaction) => {
      // Before any lock on a row, as in all transactions that write the log.
      await holdFeed(transaction);
      const tombstones = await transaction
        .updateTable('manifests')
        .set({ live: 0 })
        .where('key', 'in', keys)
        .where('live', '=', 0)
        .returning(['key', 'sha256', 'size', 'manifest_id', 'deleted_at'])
        .execute();
      const found = tombstones.map(({ key }) => key);
      if (found.length === 0) return [];
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
      const released = tombstones.filter(({ key }) => !kept.has(key));
      if (released.length === 0) return [];
      const gone = released.map(({ key }) => key);
      await transaction.deleteFrom('manifests').where('key', 'in', gone).execute();
      await appendToLog(transaction, released.map(loggedAs('released', Date.now())));
      await recordAudit(transaction, actor, released.map(freedId));
      return released;
    });
  }

  /**
   * Calls `remove` for the digests that no live manifest has, nor a deleted one that can be restored. No manifest can get
   * one of them before `remove` ends.
   *
   * @returns the number of calls
   */
  whileUnused(digests: readonly string[], remove: (digest: string) => Promise<void>): Promise<number> {
    return this.#db.transaction().execute(async (transaction) => {
      await lockFeed(transaction);
      const used = await usedDigests(transaction, digests);
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

  /** Makes all live manifests outdated if the rules differ from those by which they were validated. */
  applyRules(digest: string): Promise<number> {
    return this.#db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('installation')
        .set({ rules: digest })
        .where('id', '=', 1)
        .where((where) => where.or([where('rules', 'is', null), where('rules', '!=', digest)]))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return 0;
      return outdateLive(transaction);
    });
  }

  /** Makes trusted manifests outdated whose certificate or OCSP response expired before `now`. */
  async outdateExpired(now: number): Promise<void> {
    await this.#db
      .updateTable('manifests')
      .set({ index_version: 0, certificate_expires: null })
      .where('certificate_expires', '<', now)
      .where('live', '=', 1)
      .execute();
  }

  /** Algorithms of live bindings: those of a list, and of the others those with most bindings. */
  async algorithms(listed: ReadonlySet<string>): Promise<string[]> {
    const counts = this.#db.selectFrom('binding_counts').select('alg').where('bindings', '>', 0);
    const known = await counts.where('alg', 'in', [...listed]).execute();
    const others = await counts
      .where('alg', 'not in', [...listed])
      .orderBy('bindings', 'desc')
      .orderBy('alg')
      .limit(UNLISTED_NAMED_MAX)
      .execute();
    return [...known, ...others].map(({ alg }) => alg);
  }

  /** Whether a live binding has this algorithm. */
  async hasAlgorithm(alg: string): Promise<boolean> {
    const counts = this.#db.selectFrom('binding_counts').select('alg').where('bindings', '>', 0);
    return (await counts.where('alg', '=', alg).executeTakeFirst()) !== undefined;
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

  /** Whether a live manifest uploaded or restored before `uploadedBefore` has a pending declaration. */
  async hasOldPending(uploadedBefore: number): Promise<boolean> {
    const found = await this.#db
      .selectFrom('declarations as d')
      .innerJoin('manifests as m', 'm.key', 'd.manifest_key')
      .select('m.key')
      .where('d.live', '=', 1)
      .where('d.status', '=', 'pending')
      .where('m.uploaded_at', '<', uploadedBefore)
      .where((where) =>
        where.or([where('m.restored_at', 'is', null), where('m.restored_at', '<', uploadedBefore)]),
      )
      .orderBy('d.manifest_key')
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }
}

function manifestRow({
  manifestId,
  uploadedAt,
  report,
  ...rest
}: ManifestToStore): Insertable<ManifestTable> {
  return {
    manifest_id: manifestId,
    sha256: rest.sha256,
    size: rest.size,
    uploaded_at: uploadedAt,
    uploader: rest.uploader,
    publisher: rest.publisher ?? null,
    live: 1,
    deleted_at: null,
    ...reportColumns(report),
  };
}

function storedEvent({
  manifestId,
  sha256,
  size,
  publisher,
  report,
  declaration,
}: ManifestToStore): StoreEvent {
  const about = { manifestId, manifestUrl: declaration.gateway, sha256, size };
  const { trusted } = report;
  return {
    type: 'manifest.stored',
    data: { ...about, trusted, publisher: publisher ?? null, restored: false },
  };
}

/** Those of the digests whose files must stay. */
async function usedDigests(db: Db, digests: readonly string[]): Promise<Set<string>> {
  const users = await db
    .selectFrom('manifests')
    .select('sha256')
    .where('sha256', 'in', digests)
    .where((where) => where.or([where('live', '=', 1), where('kept_until', '>', Date.now())]))
    .execute();
  return new Set(users.map(({ sha256 }) => sha256));
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
      'm.publisher',
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
    publisher: row.publisher,
    status: row.status,
    hub: row.hub,
    isccId: row.iscc_id,
  };
}

function isSet(flag: Flag): boolean {
  return flag === 1;
}
