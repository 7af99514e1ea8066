/** Follows all hubs of a network: reads the hub list, polls each hub on its own schedule, and tells their state. */
import { once, setMaxListeners } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import type { NetworkConfig } from '../platform/config/network.js';
import { failureReason } from '../platform/failure-reason.js';
import type { Logger } from '../platform/observe/log.js';
import { Follower } from '../storage/feed/follower.js';
import { HubClient, type HubRoutes } from './hub-client.js';
import { HUB_LIST_BYTES_MAX, HubListInvalid, type ListedHub, parseHubList } from './hub-list.js';
import type { Leadership } from './leadership.js';
import { LogFiles } from './log-files.js';
import type { LogStore } from './log-store.js';
import { networkMetrics } from './metrics.js';
import { NETWORK_FACTS } from './networks.js';
import { type DidAge, poll } from './poll.js';
import { Published } from './published.js';
import { type HubRow, type Memory, NO_MEMORY, type Notice, newRow, settle } from './state.js';
import { hubStatus, type ListStatus, type NetworkStatus } from './status.js';

/** Key of the last good hub list among the hubs' rows. */
const HUB_LIST_KEY = 0xffff;
const LIST_TIMEOUT_MS = 10_000;
/** Printable characters of a hub's text in a log line. */
const LOGGED_CHARS_MAX = 200;
/** How often a process that waits to follow reads what another one has stored. */
const STANDBY_MS = 1000;
/** Failures after which a hub no longer holds up readiness. */
const FAILURES_FOR_READY = 5;

/** A hub that is followed. */
interface Followed {
  hub: ListedHub;
  row: HubRow;
  memory: Memory;
  readonly didAge: DidAge;
  timer: NodeJS.Timeout | undefined;
  running: Promise<void> | undefined;
  /** When the next poll begins, in ms since 1970. Undefined during a poll. */
  nextPoll: number | undefined;
  /** Whether the hub was once `following` since the start. */
  wasCaughtUp: boolean;
}

/** All that is stored of the hubs. */
interface StoredHubs {
  readonly rows: Awaited<ReturnType<LogStore['hubs']>>;
  readonly hasMore: boolean;
}

/** What other services of the process may ask about the network. */
export interface FollowedNetwork {
  /** 0 test network, 1 main network. */
  readonly realm: number;
  status(): NetworkStatus;
  readonly published: Pick<Published, 'claims'>;
}

/** An alarm, for services that report errors. */
export class NetworkAlarm extends Error {
  override readonly name = 'NetworkAlarm';
}

export interface AggregatorOptions {
  /** Receives each alarm once. */
  readonly onAlarm?: (alarm: NetworkAlarm, hubId: number) => void;
  readonly routes?: HubRoutes;
  /** Decides which of several processes with the same index follows the hubs. Absent: this is the only one. */
  readonly leadership?: Leadership;
}

export class Aggregator implements FollowedNetwork {
  readonly #config: NetworkConfig;
  readonly #index: LogStore;
  readonly #log: Logger;
  readonly #client: HubClient;
  readonly #stop = new AbortController();
  readonly #leadership: Leadership | undefined;
  /** Ends when this process no longer follows; `undefined` while another one does. */
  #term: AbortSignal | undefined;
  #leading: Promise<void> | undefined;
  /** Whether the rows are those that another process stores. */
  #isStandingBy = false;
  readonly #standby: Follower<StoredHubs>;
  readonly #hubs = new Map<number, Followed>();
  /** Ids of listed hubs, by the host of their address. */
  readonly #idsByHost = new Map<string, number>();
  readonly #onAlarm: AggregatorOptions['onAlarm'];
  readonly metrics = networkMetrics({ hubs: () => this.#rows(), listAge: () => this.#listAgeSeconds() });
  /** What this node serves to others. */
  readonly published: Published;
  #list: ListStatus;
  /** Monotonic time of the last good reading of the list. */
  #listReadMs: number | undefined;
  #listTimer: NodeJS.Timeout | undefined;
  #listReading: Promise<void> = Promise.resolve();

  constructor(config: NetworkConfig, index: LogStore, log: Logger, options: AggregatorOptions = {}) {
    this.#config = config;
    this.#index = index;
    this.#log = log;
    this.#onAlarm = options.onAlarm;
    this.#leadership = options.leadership;
    this.#standby = new Follower({
      run: async (catchUp) => {
        if (this.#isStandingBy) await catchUp();
      },
      read: () => this.#stored(),
      apply: async (stored) => {
        if (this.#isStandingBy) this.#show(stored);
      },
      reload: () => this.#load(),
      onError: (error) => log.warn({ err: error }, 'the state of the hubs could not be read'),
    });
    this.published = new Published(index, (hubId) => this.#hubs.get(hubId)?.row);
    this.#list = { source: /^https?:/.test(listSource(config)) ? 'url' : 'file', read: null, ok: false };
    this.#client = new HubClient({
      ...options.routes,
      allowed: config.testAllow,
      onRequest: (host, resource, outcome) =>
        this.metrics.request(this.#idsByHost.get(host), resource, outcome),
    });
  }

  get network(): NetworkConfig['network'] {
    return this.#config.network;
  }

  get realm(): number {
    return NETWORK_FACTS[this.#config.network].realm;
  }

  /** Loads the stored state and follows in the background: at once, or when this process becomes the one that does. */
  async start(): Promise<void> {
    await this.#load();
    if (this.#leadership === undefined) {
      this.#leading = this.#lead(this.#stop.signal);
      return;
    }
    this.#isStandingBy = true;
    this.#leading = this.#leadership.run((term) => this.#leadTerm(term), this.#stop.signal);
    this.#standby.start(STANDBY_MS);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#standby.close();
    await this.#leading?.catch((error: unknown) => this.#log.error({ err: error }, 'the follower failed'));
    await this.#client.close();
  }

  /** Follows in place of a process that ended, from what it stored last. */
  async #leadTerm(term: AbortSignal): Promise<void> {
    this.#isStandingBy = false;
    this.#log.info({ network: this.network }, 'this process follows the hubs');
    try {
      await this.#index.current?.();
      await this.#load();
      await this.#lead(term);
    } finally {
      this.#isStandingBy = true;
      this.#log.info({ network: this.network }, 'this process no longer follows the hubs');
    }
  }

  /** Follows until the term ends and nothing is being written any more. */
  async #lead(term: AbortSignal): Promise<void> {
    // Each request in progress listens, of any number of hubs.
    setMaxListeners(0, term);
    this.#term = term;
    for (const followed of this.#hubs.values()) if (followed.hub.active) this.#schedule(followed, 0);
    this.#readList();
    if (!term.aborted) await once(term, 'abort');
    clearTimeout(this.#listTimer);
    for (const followed of this.#hubs.values()) {
      clearTimeout(followed.timer);
      [followed.timer, followed.nextPoll] = [undefined, undefined];
    }
    await Promise.allSettled([this.#listReading, ...[...this.#hubs.values()].map(({ running }) => running)]);
    this.#term = undefined;
  }

  async #load(): Promise<void> {
    this.#show(await this.#stored());
  }

  async #stored(): Promise<StoredHubs> {
    return { rows: await this.#index.hubs(), hasMore: false };
  }

  #show({ rows }: StoredHubs): void {
    for (const { hub, row } of rows) {
      if (hub === HUB_LIST_KEY) this.#useList(storedList(row), false);
      else this.#restore(hub, JSON.parse(row) as HubRow);
    }
  }

  /** Members of `/status` beside those of the index. */
  status(): NetworkStatus {
    const hubs = [...this.#hubs.values()].sort((a, b) => a.hub.hubId - b.hub.hubId);
    return {
      list: this.#list,
      hubs: hubs.map(({ hub, row, nextPoll }) => hubStatus(hub.hubId, row, nextPoll)),
    };
  }

  /** Why the service is not ready, if readiness waits for the hubs. */
  readiness(): string | undefined {
    if (this.#config.ready === 'served') return undefined;
    const isSettled = ({ row, memory, wasCaughtUp }: Followed) =>
      wasCaughtUp ||
      row.state === 'paused' ||
      row.state === 'frozen' ||
      memory.failures >= FAILURES_FOR_READY;
    const isReady = this.#list.ok && [...this.#hubs.values()].every(isSettled);
    return isReady ? undefined : 'catching_up';
  }

  #rows(): readonly { hubId: number; row: HubRow }[] {
    return [...this.#hubs.values()].map(({ hub, row }) => ({ hubId: hub.hubId, row }));
  }

  #listAgeSeconds(): number | undefined {
    return this.#listReadMs === undefined ? undefined : (performance.now() - this.#listReadMs) / 1000;
  }

  /** Not followed until a list names it. */
  #restore(hubId: number, row: HubRow): void {
    const known = this.#hubs.get(hubId);
    if (known !== undefined) {
      [known.row, known.memory] = [row, NO_MEMORY];
      known.wasCaughtUp ||= row.state === 'following';
      return;
    }
    this.#follow({ hubId, url: row.url, origin: row.origin, active: false, keys: [] }, row);
  }

  #follow(hub: ListedHub, row: HubRow): Followed {
    const followed: Followed = {
      hub,
      row,
      memory: NO_MEMORY,
      timer: undefined,
      running: undefined,
      didAge: { readMs: performance.now() - didAgeMs(row) },
      nextPoll: undefined,
      wasCaughtUp: false,
    };
    this.#hubs.set(hub.hubId, followed);
    return followed;
  }

  /** Reads the list now, and again after the interval. */
  #readList(): void {
    const term = this.#term ?? this.#stop.signal;
    this.#listReading = this.#fetchList(term)
      .then(async (text) => {
        const hubs = this.#useList(text, true);
        // An empty list changes nothing, so it does not replace the last one either.
        if (hubs > 0) await this.#index.putHub(HUB_LIST_KEY, JSON.stringify({ text, read: this.#list.read }));
        return hubs > 0;
      })
      .catch((error: unknown) => {
        if (term.aborted) return false;
        this.#list = { ...this.#list, ok: false };
        this.#log.warn({ reason: printable(error) }, 'the hub list could not be read');
        return false;
      })
      .then((isGood) => {
        if (term.aborted) return;
        const { refreshMs, pollMs } = this.#config;
        this.#listTimer = setTimeout(() => this.#readList(), isGood ? refreshMs : pollMs);
      });
  }

  async #fetchList(signal: AbortSignal): Promise<string> {
    const source = listSource(this.#config);
    if (this.#list.source === 'file') {
      if ((await stat(source)).size > HUB_LIST_BYTES_MAX) throw new HubListInvalid('is larger than 1 MiB');
      return readFile(source, 'utf8');
    }
    const fetched = await this.#client.get(source, {
      resource: 'list',
      bytesMax: HUB_LIST_BYTES_MAX,
      timeoutMs: LIST_TIMEOUT_MS,
      signal,
    });
    if (fetched.kind === 'ok') return fetched.bytes.toString();
    throw new Error(fetched.kind === 'missing' ? 'status 404' : fetched.reason);
  }

  /** Applies a list; returns the number of its hubs, 0 if it is invalid. */
  #useList(text: string, isFresh: boolean): number {
    let listed: readonly ListedHub[];
    try {
      listed = parseHubList(text, this.#config.network, this.#config.testAllow);
    } catch (error) {
      if (!(error instanceof HubListInvalid)) throw error;
      this.#log.warn({ reason: error.message }, 'the hub list is invalid');
      this.#list = { ...this.#list, ok: false };
      return 0;
    }
    this.#list = { ...this.#list, ok: true, ...(isFresh && { read: new Date().toISOString() }) };
    if (isFresh) this.#listReadMs = performance.now();
    if (listed.length === 0) {
      if (this.#hubs.size > 0) this.#log.warn('the hub list is empty; keeping the known hubs');
      return 0;
    }
    for (const hub of listed) this.#update(hub);
    const ids = new Set(listed.map(({ hubId }) => hubId));
    for (const [hubId, followed] of this.#hubs) if (!ids.has(hubId)) this.#pause(followed);
    return listed.length;
  }

  #update(hub: ListedHub): void {
    const followed = this.#hubs.get(hub.hubId) ?? this.#follow(hub, newRow(hub));
    followed.hub = hub;
    this.#idsByHost.set(new URL(hub.url).host, hub.hubId);
    if (!hub.active) {
      this.#pause(followed);
      return;
    }
    const { row } = followed;
    if (row.state === 'paused') followed.row = { ...row, state: resumedState(row) };
    if (followed.timer === undefined && followed.running === undefined) this.#schedule(followed, 0);
  }

  #pause(followed: Followed): void {
    clearTimeout(followed.timer);
    followed.timer = undefined;
    followed.nextPoll = undefined;
    followed.hub = { ...followed.hub, active: false };
    if (followed.row.state !== 'frozen') followed.row = { ...followed.row, state: 'paused' };
  }

  #schedule(followed: Followed, delayMs: number): void {
    const term = this.#term;
    if (term === undefined || term.aborted || !followed.hub.active) return;
    followed.nextPoll = Date.now() + delayMs;
    followed.timer = setTimeout(() => {
      [followed.timer, followed.nextPoll] = [undefined, undefined];
      followed.running = this.#poll(followed, term)
        .catch((error: unknown) => this.#failed(followed, error))
        .finally(() => {
          followed.running = undefined;
          if (followed.timer === undefined) this.#schedule(followed, this.#config.pollMs);
        });
    }, delayMs);
  }

  /** The row may have been stored all the same, or by another process. */
  async #failed(followed: Followed, error: unknown): Promise<void> {
    const { hubId } = followed.hub;
    this.#log.error({ err: error, hub: hubId }, 'a poll failed');
    try {
      await this.#index.current?.();
      const stored = (await this.#index.hubs()).find(({ hub }) => hub === hubId);
      if (stored !== undefined) followed.row = JSON.parse(stored.row) as HubRow;
    } catch (reason) {
      this.#log.error({ err: reason, hub: hubId }, 'the stored state of the hub could not be read');
    }
  }

  async #poll(followed: Followed, signal: AbortSignal): Promise<void> {
    const { hub } = followed;
    let isDidNew = false;
    const outcome = await poll(followed.row, {
      hub,
      index: this.#index,
      signal,
      keys: this.#config.keys,
      deletes: this.#config.deletes,
      mirrors: this.#config.mirrors,
      didAge: followed.didAge,
      onCommit: (seconds) => this.metrics.committed(seconds),
      files: new LogFiles(this.#client, hub.url, signal),
      onRow: (row) => {
        followed.row = row;
      },
      onDid: (row) => {
        followed.row = row;
        isDidNew = true;
      },
      onKeyChanged: (before, now) => {
        const { key_id, key_source, size } = now;
        this.#log.warn({ hub: hub.hubId, before: before.key_id, key_id, key_source, size }, 'key_changed');
      },
    });
    if (outcome.kind === 'stopped') return;
    const settled = settle(followed.row, followed.memory, outcome, this.#config.pollMs, clock());
    const isChanged = isStoredDifference(followed.row, settled.row);
    followed.row = settled.row;
    followed.memory = settled.memory;
    followed.wasCaughtUp ||= settled.row.state === 'following';
    for (const notice of settled.notices) this.#notify(hub.hubId, notice);
    if ('reason' in outcome)
      this.#log.info(
        { hub: hub.hubId, state: outcome.kind, reason: printable(outcome.reason) },
        'network_poll',
      );
    if (outcome.kind === 'progress') this.metrics.succeeded(hub.hubId);
    if ((isChanged || isDidNew) && outcome.kind !== 'full')
      await this.#index.putHub(hub.hubId, JSON.stringify(followed.row));
    if (followed.hub.active) this.#schedule(followed, settled.delayMs);
    else this.#pause(followed);
  }

  #notify(hubId: number, notice: Notice): void {
    if (notice.type === 'alarm-ended') {
      this.#log.info({ hub: hubId, kind: notice.kind }, 'network_alarm_ended');
      return;
    }
    const { kind, evidence } = notice.alarm;
    this.metrics.violation(hubId, kind);
    this.#log.error({ hub: hubId, kind, evidence }, 'network_alarm');
    this.#onAlarm?.(new NetworkAlarm(`hub ${hubId}: ${kind}`), hubId);
  }
}

/** The realm and the index of a network. */
export function networkFacts(config: NetworkConfig) {
  return NETWORK_FACTS[config.network];
}

function listSource({ listUrl, network }: NetworkConfig): string {
  return listUrl ?? NETWORK_FACTS[network].list;
}

function storedList(row: string): string {
  return String((JSON.parse(row) as { text?: unknown }).text);
}

/** State of a hub that is followed again after a pause. */
function resumedState({ head, cursor }: HubRow): HubRow['state'] {
  if (head === null) return 'waiting';
  return cursor < head.size ? 'catching_up' : 'following';
}

/** Time since the did:web document was read, also by an earlier process. A clock that was set back does not count. */
function didAgeMs({ did }: HubRow): number {
  const ageMs = did === undefined ? 0 : Date.now() - Date.parse(did.read);
  return Number.isFinite(ageMs) ? Math.max(0, ageMs) : 0;
}

/** Whether anything but the time of the last poll differs: idle polls write nothing. */
function isStoredDifference(before: HubRow, after: HubRow): boolean {
  return JSON.stringify({ ...before, last_poll: null }) !== JSON.stringify({ ...after, last_poll: null });
}

function clock() {
  // Microseconds and an offset, as the reference writes times.
  const wall = new Date().toISOString().replace(/(\.\d{3})Z$/, '$1000+00:00');
  return { monotonicMs: performance.now(), wall, random: Math.random() };
}

function printable(error: unknown): string {
  const text = failureReason(error);
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, LOGGED_CHARS_MAX);
}
