/** Keeps the similarity index beside the store as the database is: what is stored can be found, what is deleted not. */
import type { ManifestIndex } from '../c2pa/search-index-port.js';
import type { Db } from '../database/open.js';
import { native } from '../native.js';
import type { Logger } from '../observe/log.js';
import * as rows from './search-index-sync-rows.js';

/** How often declarations are looked through for ISCC-IDs that came by retries. */
const POLL_MS = 5_000;
/** Declarations that were being written while the last look was taken. */
const POLL_OVERLAP_MS = 15_000;
const BATCH_MANIFESTS = 500;

export interface SearchIndexSyncOptions {
  readonly db: Db;
  readonly index: ManifestIndex;
  /** Of local ISCC-IDs. */
  readonly serverId: number;
  readonly log: Logger;
}

export class SearchIndexSync {
  readonly #options: SearchIndexSyncOptions;
  /** Keys of manifests to look at; work on them is done in batches, one after another. */
  #waiting = new Set<number>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polledMs = Date.now();
  #closed = false;

  constructor(options: SearchIndexSyncOptions) {
    this.#options = options;
  }

  /** Brings in what changed while nobody told the index, in the background, and follows declarations from now on. */
  start(): void {
    this.#run(() => this.#reconcile());
    this.#timer = setInterval(() => void this.#poll(), POLL_MS).unref();
  }

  /** A manifest came, went or was declared. Resolves when the index knows; never rejects. */
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

  /** After all that was begun before. What fails is done again at the next start, or when the manifest changes. */
  #run(work: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(work).catch((error) => {
      if (!this.#closed)
        this.#options.log.error({ err: error }, 'the local index could not be brought up to date');
    });
    return this.#running;
  }

  async #reconcile(): Promise<void> {
    const { db, index } = this.#options;
    // Somebody has deleted the index, or its files are gone.
    if ((await index.size()) < (await rows.countDone(db))) await rows.doAllAgain(db);
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
      if (!this.#closed) this.#options.log.error({ err: error }, 'declarations could not be looked through');
    }
  }

  async #sync(keys: readonly number[]): Promise<void> {
    const { db, index } = this.#options;
    for (let start = 0; start < keys.length; start += BATCH_MANIFESTS) {
      const batch = keys.slice(start, start + BATCH_MANIFESTS);
      for (const { key, isccId } of await rows.superfluous(db, batch)) {
        await index.remove(isccId);
        await rows.forget(db, key);
      }
      await this.#add(await rows.missing(db, batch));
    }
  }

  async #add(manifests: readonly rows.Missing[]): Promise<void> {
    const { db, index, serverId } = this.#options;
    const wanted = manifests.map((manifest) => ({
      ...manifest,
      isccId: manifest.declaredId ?? localId(manifest, serverId),
    }));
    if (wanted.length === 0) return;
    for (const { knownId, isccId } of wanted) {
      if (knownId !== null && knownId !== isccId) await index.remove(knownId);
    }
    await rows.note(db, wanted);
    await index.add(wanted);
    await rows.noteDone(
      db,
      wanted.map(({ key }) => key),
    );
  }
}

/** Realm 0, and of a time that no other manifest of this store has: keys are never given twice. */
function localId({ key, uploadedAt }: rows.Missing, serverId: number): string {
  return native.isccId(0, uploadedAt * 1000 + (key % 1000), serverId);
}
