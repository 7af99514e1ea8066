/**
 * In-memory index of the bindings of live manifests. Every query sees all changes committed before it. Design:
 * docs/design/change-feed.md.
 */
import type { Logger } from '../../../platform/observe/log.js';
import type { Db, Flag } from '../../../storage/database/tables.js';
import { Follower } from '../../../storage/feed/follower.js';
import { type FoundChanges, History, type Point } from '../../../storage/feed/history.js';
import type { Change } from '../feed.js';
import type { BindingEntry, BindingIndex, BindingMatches } from '../validation/validator.js';

/** Manifests per statement while loading. */
const LOAD_MANIFESTS = 2000;
/** Changes per statement; a process that is far behind needs several. */
const CHANGES_MAX = 500;

/** How often an idle process reads the feed, so that it does not fall behind the truncation. */
const POLL_MS = 60_000;

export interface SyncedBindingIndexOptions {
  readonly db: Db;
  readonly newIndex: () => BindingIndex;
  readonly log: Logger;
}

export class SyncedBindingIndex {
  readonly #options: SyncedBindingIndexOptions;
  readonly #follower: Follower<FoundChanges<Change>>;
  #loaded: Loaded;

  private constructor(options: SyncedBindingIndexOptions, loaded: Loaded) {
    this.#options = options;
    this.#loaded = loaded;
    const { db, log } = options;
    const history = new History(db);
    this.#follower = new Follower({
      read: () => history.after(this.#loaded.point, CHANGES_MAX),
      apply: (found) => this.#apply(found),
      reload: async () => {
        log.warn('the change feed no longer has the changes after our position; reloading the binding index');
        this.#loaded = await load(options);
      },
      onError: (error) => log.error({ err: error }, 'could not read the change feed for the binding index'),
    });
  }

  static async load(options: SyncedBindingIndexOptions): Promise<SyncedBindingIndex> {
    return new SyncedBindingIndex(options, await load(options));
  }

  /** Reads the feed periodically from now on, also without queries. */
  start(): void {
    this.#follower.start(POLL_MS);
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  async query(
    alg: string,
    value: Uint8Array,
    threshold: number,
    maxResults: number,
  ): Promise<BindingMatches> {
    await this.follow();
    return this.#loaded.index.query(alg, value, threshold, maxResults);
  }

  /** Applies all changes committed before this call. */
  follow(): Promise<void> {
    return this.#follower.follow();
  }

  async #apply({ changes, last }: FoundChanges<Change>): Promise<void> {
    const { index } = this.#loaded;
    // The last change of a manifest counts: one stored and deleted in this batch must not be added.
    const live = new Map(changes.map((change) => [change.manifest_key, change.live === 1]));
    const stored = [...live.keys()].filter((key) => live.get(key));
    if (stored.length > 0) {
      const rows = await liveBindings(this.#options.db).where('m.key', 'in', stored).execute();
      await index.insertBatch(entries(rows));
    }
    for (const [key, isLive] of live) if (!isLive) await index.remove(key);
    this.#loaded.point = last;
  }
}

/** An index and the last change applied to it. */
interface Loaded {
  readonly index: BindingIndex;
  point: Point;
}

/** Loads all live bindings. The first query applies the changes made during the load. */
async function load({ db, newIndex }: SyncedBindingIndexOptions): Promise<Loaded> {
  const loaded = { index: newIndex(), point: await new History(db).newest() };
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

/** Groups bindings by manifest. Manifests deleted in the meantime have no rows, and so no entry. */
function entries(rows: readonly LiveBinding[]): BindingEntry[] {
  const found = new Map<number, BindingEntry>();
  for (const { key, trusted, uploaded_at, alg, value } of rows) {
    const entry = found.get(key) ?? { key, trusted: trusted === 1, uploadedAt: uploaded_at, bindings: [] };
    entry.bindings.push({ alg, value });
    found.set(key, entry);
  }
  return [...found.values()];
}
