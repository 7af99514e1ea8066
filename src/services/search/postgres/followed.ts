/** The indexes of a database, followed: every change that was committed is applied to the cache in order. */
import type { Selectable } from 'kysely';
import type { Logger } from '../../../platform/observe/log.js';
import { Slots } from '../../../platform/slots.js';
import { Follower } from '../../../storage/feed/follower.js';
import {
  BEGINNING,
  type FoundChanges,
  History,
  isSamePoint,
  type Point,
  pointOf,
} from '../../../storage/feed/history.js';
import type { Cache } from './cache.js';
import type { Newest } from './newest.js';
import { type AssetRows, changedPages, type Registry, readRegistry, type StoredIndex } from './rows.js';
import type { SearchChangeTable, SearchDb } from './tables.js';

/** Changes per read. */
const CHANGES_MAX = 1000;
/** Assets per read; one change may have more. */
const ASSETS_MAX = 10_000;
const COLUMNS = ['sequence', 'index_id', 'count', 'tag'] as const;
/** How often an idle process reads the feed: what others have added is applied before the next search. */
const POLL_MS = 250;

/** Before any change of any database: all of the cache is compared with the database at the next read. */
const NOWHERE: Point = { sequence: -1, tag: undefined };

interface FoundRows extends Pick<FoundChanges<unknown>, 'last' | 'hasMore'> {
  readonly after: Point;
  /** If indexes, aliases or paths changed. */
  readonly registry: Registry | undefined;
  readonly batches: readonly {
    readonly index: StoredIndex;
    /** In several pages if they are large. */
    readonly pages: readonly AssetRows[];
    readonly last: Point;
  }[];
  /** Monotonic time at which the read began. */
  readonly startedMs: number;
}

export interface FollowedOptions {
  readonly db: SearchDb;
  readonly newest: Newest;
  readonly cache: Cache;
  readonly log: Logger | undefined;
  /** Called when the feed could not be read. */
  readonly onError: (error: unknown) => void;
  /** Called when the cache has all changes. */
  readonly onCurrent: () => void;
}

export class Followed {
  readonly #options: FollowedOptions;
  readonly #follower: Follower<FoundRows>;
  /** Held while the cache changes. */
  readonly #changing = new Slots(1);
  #position = BEGINNING;
  #version = 0;
  #currentMs = Number.NEGATIVE_INFINITY;
  #isLoaded = false;

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.#follower = new Follower<FoundRows>({
      read: () => this.#read(this.#position),
      // Nothing new: a read does not wait for a write that is in progress.
      apply: async (found) =>
        found.last === found.after ? this.#current(found) : this.#changing.run(() => this.#apply(found)),
      reload: () => this.#changing.run(() => this.#load()),
      onError: options.onError,
    });
  }

  /** Monotonic time at which all changes committed before were applied. */
  get currentMs(): number {
    return this.#currentMs;
  }

  /** Grows with each change of the cache, once the change is complete. */
  get version(): number {
    return this.#version;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Loads the cache and follows from then on. */
  async start(): Promise<void> {
    await this.#changing.run(() => this.#load());
    this.#follower.start(POLL_MS);
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  /** Applies all changes that were committed before this call. */
  follow(): Promise<void> {
    return this.#follower.follow();
  }

  /**
   * Runs `work` while nothing else changes the cache, which has all changes that the transaction sees. The transaction holds
   * the lock of the feed, so that no other change can be committed.
   */
  async change<T>(transaction: SearchDb, work: () => Promise<T>): Promise<T> {
    const newest = await new History(transaction).newest();
    for (;;) {
      const done = await this.#changing.run(async () =>
        isSamePoint(this.#position, newest) ? { result: await work() } : undefined,
      );
      if (done !== undefined) return done.result;
      await this.follow();
    }
  }

  /** This change, which this process made, is in the cache. */
  applied(point: Point): void {
    this.#moveTo(point);
  }

  /** The cache could not be changed: all of it is compared with the database at the next read. */
  mistrust(): void {
    this.#moveTo(NOWHERE);
  }

  async #load(): Promise<void> {
    const { db, cache, log } = this.#options;
    if (this.#isLoaded)
      log?.warn('the cache of the indexes cannot be brought up to date by changes; comparing all of it');
    this.#isLoaded = false;
    const startedMs = performance.now();
    await inSnapshot(db, async (rows) => {
      const position = await new History(rows).newest();
      await cache.open(rows, await readRegistry(rows));
      this.#moveTo(position);
    });
    this.#currentMs = startedMs;
    this.#isLoaded = true;
  }

  async #read(after: Point): Promise<FoundRows | 'lost'> {
    const { db } = this.#options;
    const startedMs = performance.now();
    const nothing = { after, last: after, hasMore: false, registry: undefined, batches: [], startedMs };
    if (isSamePoint(await this.#options.newest.point(), after)) return nothing;
    return inSnapshot(db, async (rows) => {
      const found = await new History(rows).after(after, CHANGES_MAX, COLUMNS);
      if (found === 'lost') return found;
      const { changes, last, hasMore } = bounded(found);
      const registry = await readRegistry(rows);
      const touched = new Map<number, Point>();
      for (const change of changes)
        if (change.index_id !== null) touched.set(change.index_id, pointOf(change));
      const batches = [];
      for (const [id, end] of touched) {
        const index = registry.indexes.find((one) => one.id === id);
        if (index !== undefined)
          batches.push({
            index,
            last: end,
            pages: await collected(changedPages(rows, index, after.sequence, end.sequence)),
          });
      }
      const isChanged = changes.some(({ index_id }) => index_id === null);
      return { after, last, hasMore, startedMs, batches, registry: isChanged ? registry : undefined };
    });
  }

  async #apply(found: FoundRows): Promise<void> {
    const { after, last: end, registry, batches } = found;
    // Otherwise a change of this process came first, and these were applied before it.
    if (isSamePoint(this.#position, after)) {
      const { db, cache } = this.#options;
      try {
        if (registry !== undefined) await inSnapshot(db, (rows) => cache.reconcile(rows, registry));
        for (const { index, pages, last } of batches) await cache.applyAll(index, pages, after, last);
      } catch (error) {
        this.mistrust();
        throw error;
      }
      this.#moveTo(end);
    }
    this.#current(found);
  }

  #moveTo(position: Point): void {
    this.#position = position;
    this.#version += 1;
  }

  #current({ hasMore, startedMs }: FoundRows): void {
    if (hasMore) return;
    this.#currentMs = Math.max(this.#currentMs, startedMs);
    this.#options.onCurrent();
  }
}

/** As many changes as have few enough assets, and at least one. */
function bounded<Change extends Selectable<SearchChangeTable>>(
  found: FoundChanges<Change>,
): FoundChanges<Change> {
  let assets = 0;
  const end = found.changes.findIndex(({ count }, at) => {
    assets += count;
    return at > 0 && assets > ASSETS_MAX;
  });
  if (end < 0) return found;
  return {
    changes: found.changes.slice(0, end),
    last: pointOf(found.changes[end - 1] as Change),
    hasMore: true,
  };
}

function inSnapshot<T>(db: SearchDb, read: (rows: SearchDb) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
