/** Keeps a similarity index in sync with the live manifests in the database. */
import type { ManifestIndex } from '../c2pa/search-index-port.js';
import type { Db } from '../database/open.js';
import { native } from '../native.js';
import type { Logger } from '../observe/log.js';
import * as rows from './search-index-sync-rows.js';

/** How often to look for ISCC-IDs that retries have declared. */
const POLL_MS = 5_000;
/** Overlap of two polls, for declarations that were being written during the last one. */
const POLL_OVERLAP_MS = 15_000;
const BATCH_MANIFESTS = 500;

export interface SearchIndexSyncOptions {
  readonly db: Db;
  readonly index: ManifestIndex;
  /** Server id in local ISCC-IDs. */
  readonly serverId: number;
  readonly log: Logger;
}

export class SearchIndexSync {
  readonly #options: SearchIndexSyncOptions;
  /** Keys of manifests to sync, in batches, one batch after another. */
  #waiting = new Set<number>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polledMs = Date.now();
  #closed = false;

  constructor(options: SearchIndexSyncOptions) {
    this.#options = options;
  }

  /** Syncs all manifests in the background, then polls declarations. */
  start(): void {
    this.#run(() => this.#reconcile());
    this.#timer = setInterval(() => void this.#poll(), POLL_MS).unref();
  }

  /** Syncs a manifest that was stored, deleted or declared. Resolves when it is done; never rejects. */
  changed(key: number): Promise<void> {
    this.#waiting.add(key);
    this.#next ??= this.#run(() => {
      const keys = [...this.#waiting];
      this.#waiting = new Set();
      this.#next = undefined;
      return this.#sync(keys);
    });
    return this.#next;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Runs `work` after all earlier work. Failed work is repeated at the next start, or when the manifest changes. */
  #run(work: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(work).catch((error) => {
      if (!this.#closed) this.#options.log.error({ err: error }, 'could not sync the similarity index');
    });
    return this.#running;
  }

  async #reconcile(): Promise<void> {
    const { db, index } = this.#options;
    // The index was deleted, or its files were.
    if ((await index.size()) < (await rows.countSynced(db))) await rows.markAllUnsynced(db);
    let after = 0;
    while (!this.#closed) {
      const keys = await rows.keysAfter(db, after, BATCH_MANIFESTS);
      const last = keys.at(-1);
      if (last === undefined) return;
      await this.#sync(keys);
      after = last;
    }
  }

  async #poll(): Promise<void> {
    const now = Date.now();
    try {
      const keys = await rows.keysDeclaredSince(this.#options.db, this.#polledMs - POLL_OVERLAP_MS);
      this.#polledMs = now;
      for (const key of keys) void this.changed(key);
    } catch (error) {
      if (!this.#closed) this.#options.log.error({ err: error }, 'could not poll declarations');
    }
  }

  async #sync(keys: readonly number[]): Promise<void> {
    const { db, index } = this.#options;
    for (let start = 0; start < keys.length; start += BATCH_MANIFESTS) {
      const batch = keys.slice(start, start + BATCH_MANIFESTS);
      for (const { key, isccId } of await rows.deleted(db, batch)) {
        await index.remove(isccId);
        await rows.remove(db, key);
      }
      await this.#add(await rows.unsynced(db, batch));
    }
  }

  async #add(manifests: readonly rows.Unsynced[]): Promise<void> {
    const { db, index, serverId } = this.#options;
    const wanted = manifests.map((manifest) => ({
      ...manifest,
      isccId: manifest.declaredId ?? localId(manifest, serverId),
    }));
    if (wanted.length === 0) return;
    for (const { knownId, isccId } of wanted) {
      if (knownId !== null && knownId !== isccId) await index.remove(knownId);
    }
    await rows.markPending(db, wanted);
    await index.add(wanted);
    await rows.markSynced(
      db,
      wanted.map(({ key }) => key),
    );
  }
}

/** Realm 0. The time in µs includes the key, so ISCC-IDs of manifests uploaded in the same millisecond differ. */
function localId({ key, uploadedAt }: rows.Unsynced, serverId: number): string {
  return native.isccId(0, uploadedAt * 1000 + (key % 1000), serverId);
}
