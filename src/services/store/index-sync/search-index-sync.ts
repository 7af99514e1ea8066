/**
 * Keeps a similarity index in sync with the live manifests in the database: it fills a new index and then follows the
 * change feed. Design: docs/design/change-feed.md.
 */
import type { IndexedManifest, ManifestIndex } from '../../../c2pa/search-index-port.js';
import { ServiceError } from '../../../client/errors.js';
import { native } from '../../../native.js';
import { failureReason } from '../../../platform/failure-reason.js';
import { counter, level, type Metric } from '../../../platform/observe/instruments.js';
import type { Logger } from '../../../platform/observe/log.js';
import { endsWithin } from '../../../platform/time-limit.js';
import { countIndexEntries } from '../../../storage/database/index-status.js';
import type { Db, Tables } from '../../../storage/database/tables.js';
import { Follower } from '../../../storage/feed/follower.js';
import { type FoundChanges, History, isSamePoint, type Point } from '../../../storage/feed/history.js';
import type { Change } from '../feed.js';
import { IndexLeaseLost, IndexLedger, type Position } from './search-index-ledger.js';
import * as rows from './search-index-sync-rows.js';
import { isAhead as isIndexAhead, removeUnknown } from './search-index-unknown.js';

const POLL_MS = 1_000;
/** How often to look whether the index still has its entries. */
const CHECK_MS = 5_000;
const BATCH_MANIFESTS = 500;
const CHANGES_MAX = 500;
/** Entries to look up in the index, to notice that it was emptied. */
const SAMPLE_ENTRIES = 3;
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;
/** Longest wait of an upload or delete for an index in another process. */
const WAIT_MS_MAX = 2_000;
/** Longest wait for an index in this process. */
const LOCAL_WAIT_MS_MAX = 30_000;
/** Failures shorter than this do not count as degraded. */
const DEGRADED_MS = 60_000;
/** Statuses by which the search service refuses an entry for good. */
const REFUSED = [400, 413, 422];

/** Why all of an index is compared with the database, as logged. */
const EMPTIED = 'the similarity index was emptied; filling it from the start';
const AHEAD =
  'the similarity index is ahead of the database, as after a restore of the database; comparing all of it';

/** Before this process has fed the index. */
const UNKNOWN: Position = { point: undefined, isFailing: false };

export interface SearchIndexSyncOptions {
  readonly db: Db;
  readonly index: ManifestIndex;
  /** Identifies the index in the database, also after a restart. */
  readonly indexId: string;
  /** Whether the index is in this process, so that no other process can feed it. */
  readonly isLocal: boolean;
  /** Whether other processes can change the index, too. Default: if it is not local. */
  readonly isShared?: boolean;
  /** Server id in local ISCC-IDs. */
  readonly serverId: number;
  /** Public address of the store: entries with other addresses belong to others. */
  readonly url: string;
  readonly log: Logger;
  readonly now?: () => number;
}

/** Consecutive failures to write to the index. */
interface Outage {
  readonly sinceMs: number;
  readonly failures: number;
  /** No attempt before this time. */
  readonly pausedUntilMs: number;
}

export class SearchIndexSync {
  readonly #options: SearchIndexSyncOptions;
  readonly #ledger: IndexLedger;
  readonly #now: () => number;
  readonly #failures = counter(
    'isccd_store_index_failures_total',
    'Failed writes to the similarity index',
    [],
  );
  readonly #history: History<Tables>;
  readonly #follower: Follower<FoundChanges<Change>>;
  /** While this process feeds the index. */
  #position: Position = UNKNOWN;
  #checkedMs: number | undefined;
  /** Last point whose changes the index may have. The database has lost changes if it lacks this point. */
  #reached: Point | undefined;
  #outage: Outage | undefined;
  #behind = 0;
  #closed = false;

  constructor(options: SearchIndexSyncOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { db, indexId, isLocal, isShared = !isLocal } = options;
    this.#ledger = new IndexLedger({ db, indexId, isExclusive: !isShared });
    this.#history = new History(db);
    this.#follower = new Follower({
      run: (catchUp) => this.#attempt(catchUp),
      read: async () => {
        const { point } = this.#position;
        return point === undefined ? 'lost' : this.#history.after(point, CHANGES_MAX);
      },
      apply: (found) => this.#apply(found),
      reload: () => this.#reload(),
      onError: (error) => options.log.error({ err: error }, 'could not feed the similarity index'),
    });
  }

  get metrics(): Metric[] {
    const behind = 'Changes that the similarity index lacks, in the process that feeds it';
    return [
      this.#failures,
      level('isccd_store_index_behind', behind, () => this.#behind),
      level('isccd_store_index_failing', '1 while the similarity index cannot be written', () =>
        this.#outage === undefined ? 0 : 1,
      ),
    ];
  }

  /** Fills the index if it is new or was emptied, then follows the change feed in the background. */
  start(): void {
    void this.#follower.follow();
    this.#follower.start(POLL_MS);
  }

  /** Syncs the changes committed before this call. Resolves when that is done or takes too long; never rejects. */
  async changed(): Promise<void> {
    await endsWithin(this.#options.isLocal ? LOCAL_WAIT_MS_MAX : WAIT_MS_MAX, this.#follower.follow());
  }

  /** Compares the index with the ledger again, as at the start. */
  recheck(): void {
    this.#checkedMs = undefined;
  }

  /** Whether the index could not be written for so long that the store counts as degraded. */
  isDegraded(): boolean {
    return this.#outage !== undefined && this.#now() - this.#outage.sinceMs > DEGRADED_MS;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#follower.close();
    await this.#ledger.release().catch(() => {});
  }

  /** Catches up if this process feeds the index and is not pausing after a failure. Never rejects. */
  async #attempt(catchUp: () => Promise<void>): Promise<void> {
    const now = this.#now();
    if (this.#closed || isAhead(this.#outage?.pausedUntilMs, now, PAUSE_MS_MAX)) return;
    try {
      const position = await this.#ledger.lease(now);
      // Another process feeds the index, and knows whether that fails.
      if (position === undefined) {
        this.#outage = undefined;
        return;
      }
      this.#position = position;
      await this.#follow(catchUp, now);
      if (this.#outage !== undefined || position.isFailing) await this.#recovered();
    } catch (error) {
      if (!(error instanceof IndexLeaseLost)) await this.#failed(error);
    }
  }

  async #follow(catchUp: () => Promise<void>, now: number): Promise<void> {
    const { db, indexId, log } = this.#options;
    const isCheckDue = this.#checkedMs === undefined || !isAhead(this.#checkedMs + CHECK_MS, now, CHECK_MS);
    const isLost = await this.#hasLostChanges();
    const problem = isLost ? AHEAD : isCheckDue ? await this.#problem() : undefined;
    if (problem !== undefined) {
      log.warn({ index: indexId }, problem);
      await rows.markAllUnsynced(db, indexId);
      await this.#restart();
      this.#reached = undefined;
    }
    await catchUp();
    if (isCheckDue) this.#checkedMs = now;
  }

  /** Whether the database has lost changes that this process has applied to the index. */
  async #hasLostChanges(): Promise<boolean> {
    if (this.#reached === undefined || this.#reached.tag === this.#position.point?.tag) return false;
    return this.#history.hasLost(this.#reached);
  }

  /** Why all of the index has to be compared with the database. */
  async #problem(): Promise<string | undefined> {
    const isFirst = this.#checkedMs === undefined;
    if (!(await this.#isIntact())) return EMPTIED;
    // An index that is to be filled will be compared in any case.
    const isFilled = this.#position.point !== undefined;
    return isFirst && isFilled && (await isIndexAhead(this.#options)) ? AHEAD : undefined;
  }

  /** Whether the index has what it had. Creates a missing one. */
  async #isIntact(): Promise<boolean> {
    const { db, index, indexId, isLocal } = this.#options;
    const size = await index.size();
    if (size === 0) await index.prepare();
    else if (this.#checkedMs === undefined) await index.declarePaths();
    // Counting is slow, so later checks look for some entries only.
    if (this.#checkedMs === undefined) {
      const { synced, pending } = await countIndexEntries(db, indexId);
      if (size < synced) return false;
      // Others may add their assets to a remote index.
      if (isLocal && size > synced + pending) {
        await this.#removeDeleted();
        await this.#removeUnknown();
      }
    }
    const sample = await rows.newestSynced(db, indexId, SAMPLE_ENTRIES);
    const found = await Promise.all(sample.map((isccId) => index.has(isccId)));
    return found.every(Boolean);
  }

  async #apply({ changes, last }: FoundChanges<Change>): Promise<void> {
    const { point = last } = this.#position;
    this.#reached = last;
    this.#behind = (await this.#history.newest()).sequence - point.sequence;
    await this.#sync([...new Set(changes.map((change) => change.manifest_key))], true);
    if (!isSamePoint(last, point)) await this.#advance(last);
    this.#behind = 0;
  }

  /** Compares the whole index with the database: it is new, is to be filled again, or its point is not in the history. */
  async #reload(): Promise<void> {
    if (this.#position.point !== undefined) {
      this.#options.log.warn('the change feed no longer has our position; comparing the similarity index');
      await this.#restart();
    }
    await this.#fill();
  }

  async #restart(): Promise<void> {
    await this.#ledger.restart(this.#now());
    this.#position = { ...this.#position, point: undefined };
  }

  /** Adds all manifests that the index lacks and removes deleted ones. */
  async #fill(): Promise<void> {
    const { db, index, indexId, log } = this.#options;
    const isNew = (await index.size()) === 0;
    if (!isNew) await this.#removeDeleted();
    const to = await this.#history.newest();
    let filled = 0;
    // A second pass, if an operator has requested to fill the index during the first one.
    for (let pass = 0; pass === 0 || (pass === 1 && (await rows.hasPending(db, indexId))); pass += 1) {
      let after = 0;
      for (;;) {
        const keys = await rows.keysAfter(db, indexId, after, BATCH_MANIFESTS);
        const last = keys.at(-1);
        if (last === undefined) break;
        await this.#sync(keys, false);
        after = last;
        filled += keys.length;
      }
    }
    // At the end: entries that the ledger has again are no longer unknown.
    if (!isNew) await this.#removeUnknown();
    if (filled > 0) log.info({ index: indexId, manifests: filled }, 'filled the similarity index');
    await this.#advance(to);
  }

  /** Removes manifests that the database has lost. */
  async #removeUnknown(): Promise<void> {
    const { indexId: index, log } = this.#options;
    const removed = await removeUnknown(this.#options, async () => {
      if (this.#closed) throw new IndexLeaseLost(index);
      await this.#ledger.renew(this.#now());
    });
    if (removed > 0) log.warn({ index, removed }, 'removed manifests that the database does not have');
  }

  /** Removes all deleted manifests: an index that was restored from a backup may have them again. */
  async #removeDeleted(): Promise<void> {
    const { db, index, indexId, serverId } = this.#options;
    for (let after = 0; ; ) {
      const deleted = await rows.deletedAfter(db, after, BATCH_MANIFESTS);
      const last = deleted.at(-1);
      if (last === undefined) return;
      await this.#ledger.renew(this.#now());
      const ids = deleted.flatMap(({ declaredId, ...manifest }) => [
        localId(manifest, serverId),
        ...(declaredId === null ? [] : [declaredId]),
      ]);
      const kept = await rows.tracked(db, indexId, ids);
      for (const isccId of ids) if (!kept.has(isccId)) await index.remove(isccId);
      after = last.key;
    }
  }

  async #advance(to: Point): Promise<void> {
    await this.#ledger.advance(this.#position.point, to, this.#now());
    this.#position = { ...this.#position, point: to };
  }

  /** @param isChanged whether the bindings of the manifests may have changed */
  async #sync(keys: readonly number[], isChanged: boolean): Promise<void> {
    const { db, index, indexId } = this.#options;
    for (let start = 0; start < keys.length; start += BATCH_MANIFESTS) {
      if (this.#closed) throw new IndexLeaseLost(indexId);
      await this.#ledger.renew(this.#now());
      const batch = keys.slice(start, start + BATCH_MANIFESTS);
      for (const { key, isccId } of await rows.obsolete(db, indexId, batch)) {
        await index.remove(isccId);
        await rows.remove(db, indexId, key);
      }
      await this.#add(await rows.unsynced(db, indexId, batch, isChanged));
    }
  }

  async #add(manifests: readonly rows.Unsynced[]): Promise<void> {
    const { db, index, indexId, serverId } = this.#options;
    const wanted = manifests.map((manifest) => ({
      ...manifest,
      isccId: manifest.declaredId ?? localId(manifest, serverId),
    }));
    if (wanted.length === 0) return;
    for (const { knownId, isccId } of wanted) {
      if (knownId !== null && knownId !== isccId) await index.remove(knownId);
    }
    await rows.markPending(db, indexId, wanted);
    const keys = wanted.map(({ key }) => key);
    const refused = await this.#addAccepted(wanted);
    const isAdded = (key: number) => !refused.includes(key);
    await rows.mark(db, indexId, keys.filter(isAdded), 1);
    await rows.mark(db, indexId, refused, 2);
  }

  /** Returns the keys of manifests that the search service refuses, so that they do not block the others. */
  async #addAccepted(wanted: readonly (IndexedManifest & { readonly key: number })[]): Promise<number[]> {
    const { index, log } = this.#options;
    try {
      await index.add(wanted);
      return [];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [only] = wanted;
      if (wanted.length === 1 && only !== undefined) {
        log.error({ err: error, isccId: only.isccId }, 'the search service refused a manifest');
        return [only.key];
      }
    }
    const refused: number[] = [];
    for (const manifest of wanted) refused.push(...(await this.#addAccepted([manifest])));
    return refused;
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#closed) return;
    const { indexId, log } = this.#options;
    const now = this.#now();
    const { sinceMs = now, failures = 0 } = this.#outage ?? {};
    const backoff = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** failures);
    const asked = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
    const pause = Math.max(backoff, Math.min(asked, PAUSE_MS_MAX));
    this.#outage = { sinceMs, failures: failures + 1, pausedUntilMs: now + pause };
    this.#failures.inc();
    const level = failures === 0 ? 'error' : 'warn';
    log[level]({ err: error, index: indexId, pauseMs: pause }, 'could not sync the similarity index');
    const reason = failureReason(error);
    await this.#ledger.failed(sinceMs, reason).catch(() => {});
  }

  async #recovered(): Promise<void> {
    await this.#ledger.recovered(this.#now());
    if (this.#outage !== undefined)
      this.#options.log.info({ index: this.#options.indexId }, 'the similarity index is in sync again');
    this.#outage = undefined;
  }
}

/** Whether a time is in the future. One that is further away than it can be was set before the clock went back. */
function isAhead(time: number | undefined, now: number, msMax: number): boolean {
  return time !== undefined && time > now && time <= now + msMax;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && REFUSED.includes(error.status);
}

/** Realm 0. The time in µs includes the key, so ISCC-IDs of manifests uploaded in the same millisecond differ. */
function localId({ key, uploadedAt }: Pick<rows.Unsynced, 'key' | 'uploadedAt'>, serverId: number): string {
  return native.isccId(0, uploadedAt * 1000 + (key % 1000), serverId);
}
