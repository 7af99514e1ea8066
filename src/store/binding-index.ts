/** The bindings of live manifests in memory, as current as the database at every query, in every process. */
import type { Db } from '../database/open.js';
import type { ChangeTable, Flag } from '../database/tables.js';
import type { Logger } from '../observe/log.js';
import { changesAfter, lastChange } from './feed.js';
import type { BindingAnswer, BindingEntry, BindingIndex } from './validator.js';

/** Manifests per statement while loading. */
const LOAD_MANIFESTS = 2000;
/** Changes per statement; a process that is far behind takes several rounds. */
const CHANGES_MAX = 500;

/** How often a process follows that nobody asks, so that it need not load everything at its next query. */
const FOLLOW_MS = 60_000;

export interface SyncedBindingIndexOptions {
  readonly db: Db;
  readonly newIndex: () => BindingIndex;
  readonly log: Logger;
}

export class SyncedBindingIndex {
  readonly #options: SyncedBindingIndexOptions;
  #loaded: Loaded;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: SyncedBindingIndexOptions, loaded: Loaded) {
    this.#options = options;
    this.#loaded = loaded;
  }

  static async load(options: SyncedBindingIndexOptions): Promise<SyncedBindingIndex> {
    return new SyncedBindingIndex(options, await load(options));
  }

  /** Follows from now on also while there are no queries. */
  start(): void {
    const follow = () =>
      this.follow().catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'the index of bindings could not follow'),
      );
    this.#timer = setInterval(follow, FOLLOW_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled([this.#running, this.#next]);
  }

  async query(alg: string, value: Uint8Array, threshold: number, maxResults: number): Promise<BindingAnswer> {
    await this.follow();
    return this.#loaded.index.query(alg, value, threshold, maxResults);
  }

  /** Takes in all that was committed before this call. Callers that come while one reads share the next read. */
  follow(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#catchUp().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.follow();
      });
    return this.#next;
  }

  async #catchUp(): Promise<void> {
    const { db, log } = this.#options;
    for (;;) {
      const found = await changesAfter(db, this.#loaded.sequence, CHANGES_MAX);
      if (found === 'forgotten') {
        log.warn('away for longer than changes are kept: the index of bindings is loaded anew');
        this.#loaded = await load(this.#options);
        continue;
      }
      const { changes, upTo } = found;
      if (changes.length > 0) await this.#take(changes);
      this.#loaded.sequence = upTo;
      if (changes.length < CHANGES_MAX) return;
    }
  }

  async #take(changes: readonly ChangeTable[]): Promise<void> {
    const { index } = this.#loaded;
    // A manifest that comes and goes in one batch must not stay.
    const live = new Map(changes.map((change) => [change.manifest_key, change.live === 1]));
    const came = [...live.keys()].filter((key) => live.get(key));
    if (came.length > 0) {
      const rows = await liveBindings(this.#options.db).where('m.key', 'in', came).execute();
      await index.insertBatch(entries(rows));
    }
    for (const [key, isLive] of live) if (!isLive) await index.remove(key);
  }
}

/** An index and the number of the last change that it has taken in. */
interface Loaded {
  readonly index: BindingIndex;
  sequence: number;
}

/** Loads all live bindings. What changes meanwhile is in the feed and comes with the first query. */
async function load({ db, newIndex }: SyncedBindingIndexOptions): Promise<Loaded> {
  const loaded = { index: newIndex(), sequence: await lastChange(db) };
  let after = 0;
  for (;;) {
    const last = await lastKeyOfBatch(db, after);
    if (last === undefined) return loaded;
    const rows = await liveBindings(db).where('m.key', '>', after).where('m.key', '<=', last).execute();
    await loaded.index.insertBatch(entries(rows));
    after = last;
  }
}

async function lastKeyOfBatch(db: Db, after: number): Promise<number | undefined> {
  const rows = await db
    .selectFrom('manifests')
    .select('key')
    .where('key', '>', after)
    .orderBy('key')
    .limit(LOAD_MANIFESTS)
    .execute();
  return rows.at(-1)?.key;
}

function liveBindings(db: Db) {
  return db
    .selectFrom('bindings as b')
    .innerJoin('manifests as m', 'm.key', 'b.manifest_key')
    .select(['m.key', 'm.trusted', 'm.uploaded_at', 'b.alg', 'b.value'])
    .where('m.live', '=', 1)
    .orderBy('m.key')
    .orderBy('b.ordinal');
}

interface LiveBinding {
  readonly key: number;
  readonly trusted: Flag;
  readonly uploaded_at: number;
  readonly alg: string;
  readonly value: Buffer;
}

/** Manifests that are deleted by now have no bindings, and so no entry. */
function entries(rows: readonly LiveBinding[]): BindingEntry[] {
  const found = new Map<number, BindingEntry>();
  for (const { key, trusted, uploaded_at, alg, value } of rows) {
    const entry = found.get(key) ?? { key, trusted: trusted === 1, uploadedAt: uploaded_at, bindings: [] };
    entry.bindings.push({ alg, value });
    found.set(key, entry);
  }
  return [...found.values()];
}
