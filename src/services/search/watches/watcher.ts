/**
 * Compares recorded changes with the watches, and reports the matches. The events and the removal of the changes are one
 * transaction, so that each change is reported once. A lease makes one process of several do the work.
 */
import type { FollowedState } from '../../../native.js';
import type { Logger } from '../../../platform/observe/log.js';
import { SharedRuns } from '../../../platform/shared-runs.js';
import { Lease } from '../../../storage/feed/lease.js';
import { type Event, eventOf, ONCE_PREFIX, storeEvents } from './events.js';
import type { WatchHost } from './host.js';
import type { ComparedWatch, Matcher } from './matcher.js';
import { isOfQuarantine, onceOf, parametersOf } from './settings.js';
import type { WatchDb } from './tables.js';

/** Other processes record changes, too. */
const POLL_MS = 500;
const LEASE_MS = 10_000;
/** Changes that are compared and removed together. */
const CHANGES_MAX = 8;
/** Watches that are read at a time. */
const WATCHES_MAX = 5000;
/** How long events are kept for streams. */
export const EVENTS_KEPT_MS = 7 * 24 * 3_600_000;
const CLEAN_MS = 600_000;
export interface WatcherParts {
  readonly host: WatchHost;
  /** Opened at the first watch. */
  readonly matcher: () => Promise<Matcher>;
  readonly log: Logger | undefined;
  /** Called after events were stored. */
  readonly onEvents: (count: number) => void;
}

/** Another process has reported the changes. */
class Overtaken extends Error {}

export class Watcher {
  readonly #parts: WatcherParts;
  readonly #lease = new Lease(LEASE_MS);
  readonly #runs = new SharedRuns(() => this.#run());
  #timer: NodeJS.Timeout | undefined;
  /** Watches up to this number are compared. */
  #known = 0;
  #cleanedMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
  }

  /** Compares what is recorded now and later, in the background. */
  start(): void {
    const wake = () => void this.#runs.run();
    this.#parts.host.onChange = wake;
    this.#timer = setInterval(wake, POLL_MS).unref();
    wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#runs.settle();
  }

  async #run(): Promise<void> {
    const { host, log } = this.#parts;
    if (this.#isClosed) return;
    try {
      await host.ready();
      const db = await host.db();
      if (db === undefined) return;
      await this.#clean(db);
      if (!(await hasChanges(db))) return;
      try {
        while (!this.#isClosed && (await this.#take(db)) && (await this.#report(db)));
      } finally {
        await release(db, this.#lease);
      }
    } catch (error) {
      if (error instanceof Overtaken || this.#isClosed) return;
      log?.error(
        { err: error },
        'changes could not be compared with the watches of the indexes; trying again',
      );
    }
  }

  /** Takes or renews the lease. */
  async #take(db: WatchDb): Promise<boolean> {
    const now = Date.now();
    const update = db.updateTable('watch_lease').set(this.#lease.taken(now)).where(this.#lease.isFree(now));
    return (await update.executeTakeFirst()).numUpdatedRows > 0n;
  }

  /** Reports the oldest changes. Returns whether there may be more. */
  async #report(db: WatchDb): Promise<boolean> {
    const { host, matcher, onEvents } = this.#parts;
    const waiting = await waitingChanges(db);
    const end = waiting.findIndex(({ sequence }) => !host.isApplied(sequence));
    const changes = end < 0 ? waiting : waiting.slice(0, end);
    if (changes.length === 0) return false;
    const compared = await this.#current(db, await matcher());
    const events: Event[] = [];
    for (const { sequence, tag, index_id, at, state, put_rows, old_rows } of changes) {
      const change = {
        sequence,
        index: index_id,
        state: JSON.parse(state) as FollowedState,
        put: put_rows,
        old: old_rows,
      };
      const found = await compared.compare(change);
      if (found.length === 0) continue;
      const name = (await host.nameOf(index_id)) ?? '';
      events.push(...found.map((match) => eventOf(match, { name, tag, at })));
    }
    const sequences = changes.map(({ sequence }) => sequence);
    const stored = await host.commit((transaction) => store(transaction, sequences, events));
    if (stored > 0) onEvents(stored);
    return true;
  }

  /** The matcher with all watches. */
  async #current(db: WatchDb, matcher: Matcher): Promise<Matcher> {
    for (;;) {
      const rows = await db
        .selectFrom('watches')
        .selectAll()
        .where('number', '>', this.#known)
        .orderBy('number')
        .limit(WATCHES_MAX)
        .execute();
      const compared = rows.filter(({ settings }) => !isOfQuarantine(settings));
      const watches = compared.map(
        ({ number, index_id, id, query, settings, since }): ComparedWatch => ({
          number,
          id,
          index: index_id,
          query,
          parameters: parametersOf(settings),
          since,
          once: onceOf(settings),
        }),
      );
      await matcher.add(watches);
      this.#known = rows.at(-1)?.number ?? this.#known;
      if (rows.length < WATCHES_MAX) break;
    }
    return matcher;
  }

  /** Now and then, removes old events, and watches that were deleted or replaced. */
  async #clean(db: WatchDb): Promise<void> {
    const now = performance.now();
    if (now - this.#cleanedMs < CLEAN_MS) return;
    this.#cleanedMs = now;
    // Those of watches with `once` also say what was reported.
    await db
      .deleteFrom('watch_events')
      .where('at', '<', Date.now() - EVENTS_KEPT_MS)
      .where('event_id', 'not like', `${ONCE_PREFIX}%`)
      .execute();
    if (this.#known === 0) return;
    const rows = await db.selectFrom('watches').select('number').execute();
    const present = new Set(rows.map(({ number }) => number));
    const matcher = await this.#parts.matcher();
    for (const number of [...matcher.numbers]) if (!present.has(number)) await matcher.remove(number);
  }
}

/** Without their rows, which may be long. */
async function hasChanges(db: WatchDb): Promise<boolean> {
  return (await db.selectFrom('watch_changes').select('sequence').limit(1).executeTakeFirst()) !== undefined;
}

function waitingChanges(db: WatchDb) {
  return db.selectFrom('watch_changes').selectAll().orderBy('sequence').limit(CHANGES_MAX).execute();
}

async function release(db: WatchDb, lease: Lease): Promise<void> {
  await db.updateTable('watch_lease').set(lease.released).where(lease.isHeld()).execute();
}

/** Stores events of watches that still exist, and removes the changes. Returns the number of events. */
async function store(
  transaction: WatchDb,
  sequences: readonly number[],
  events: readonly Event[],
): Promise<number> {
  const removed = await transaction
    .deleteFrom('watch_changes')
    .where('sequence', 'in', [...sequences])
    .executeTakeFirst();
  if (Number(removed.numDeletedRows) !== sequences.length) throw new Overtaken();
  return storeEvents(transaction, events);
}
