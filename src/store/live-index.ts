/** The bindings of live manifests in memory, as current as the database at every query, in every process. */
import type { Db } from '../database/open.js';
import type { Flag } from '../database/tables.js';
import { changesAfter, lastChange } from './feed.js';
import type { BindingAnswer, BindingEntry, BindingIndex } from './validator.js';

/** Manifests per statement while loading. */
const LOAD_MANIFESTS = 2000;
/** Changes per statement; a process that is far behind takes several rounds. */
const CHANGES_MAX = 500;

export class LiveIndex {
  readonly #db: Db;
  readonly #index: BindingIndex;
  #sequence = 0;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  private constructor(db: Db, index: BindingIndex) {
    this.#db = db;
    this.#index = index;
  }

  /** Loads all live bindings. What changes meanwhile is in the feed and comes with the first query. */
  static async load(db: Db, index: BindingIndex): Promise<LiveIndex> {
    const live = new LiveIndex(db, index);
    live.#sequence = await lastChange(db);
    let after = 0;
    for (;;) {
      const last = await lastKeyOfBatch(db, after);
      if (last === undefined) return live;
      const rows = await liveBindings(db).where('m.key', '>', after).where('m.key', '<=', last).execute();
      await index.insertBatch(entries(rows));
      after = last;
    }
  }

  async query(alg: string, value: Uint8Array, threshold: number, maxResults: number): Promise<BindingAnswer> {
    await this.follow();
    return this.#index.query(alg, value, threshold, maxResults);
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
    for (;;) {
      const changes = await changesAfter(this.#db, this.#sequence, CHANGES_MAX);
      const last = changes.at(-1);
      if (last === undefined) return;
      // A manifest that comes and goes in one batch must not stay.
      const live = new Map(changes.map((change) => [change.manifest_key, change.live === 1]));
      const came = [...live.keys()].filter((key) => live.get(key));
      if (came.length > 0) {
        const rows = await liveBindings(this.#db).where('m.key', 'in', came).execute();
        await this.#index.insertBatch(entries(rows));
      }
      for (const [key, isLive] of live) if (!isLive) await this.#index.remove(key);
      this.#sequence = last.sequence;
      if (changes.length < CHANGES_MAX) return;
    }
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
