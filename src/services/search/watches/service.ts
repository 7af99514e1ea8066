/** Puts together what watches need: their use cases, the process that compares, the outbox, and the metrics. */
import type { SearchOptions } from '../../../native.js';
import { counter, gauge, type Metric } from '../../../platform/observe/instruments.js';
import { createLogger, type Logger } from '../../../platform/observe/log.js';
import { deliveryCounter, WebhookSenders } from '../../../storage/outbox/senders.js';
import { outboxOf } from '../../../storage/outbox/tables.js';
import type { Engine } from '../engine/port.js';
import type { WatchHost } from './host.js';
import { Matcher } from './matcher.js';
import type { WatchDb } from './tables.js';
import { Watcher } from './watcher.js';
import { Watches } from './watches.js';

const WEBHOOK_MS_MAX = 10_000;
const POLL_MS = 1000;

export interface WatchServiceParts {
  readonly engine: Engine;
  readonly host: WatchHost;
  readonly options: SearchOptions;
  readonly watchesMax: number;
  readonly webhookKey: string | undefined;
  /** For tests: addresses of webhooks that need not be public. */
  readonly allowed: ReadonlySet<string>;
  readonly log: Logger | undefined;
}

export class WatchService {
  readonly watches: Watches;
  readonly #parts: WatchServiceParts;
  readonly #watcher: Watcher;
  readonly #events = counter(
    'isccd_search_watch_events_total',
    'Events of watches that this process stored',
    [],
  );
  readonly #deliveries = deliveryCounter('search');
  #matcher: Promise<Matcher> | undefined;
  #senders: WebhookSenders | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WatchServiceParts) {
    const { engine, host, watchesMax, webhookKey: secretKey, allowed, options, log } = parts;
    this.#parts = parts;
    this.watches = new Watches({ engine, host, watchesMax, secretKey, allowed });
    const matcher = () => {
      this.#matcher ??= Matcher.open(options, ({ index, id }, error) =>
        log?.error(
          { err: error, index, watch: id },
          'a watch cannot be compared; put it again without simprints',
        ),
      );
      return this.#matcher;
    };
    const onEvents = (count: number) => {
      this.#events.inc(count);
      this.watches.notify();
    };
    this.#watcher = new Watcher({ host, matcher, log, onEvents });
  }

  start(): void {
    this.#watcher.start();
    // The database may come with the first watch.
    this.#timer = setInterval(() => void this.#send(), POLL_MS).unref();
    void this.#send();
  }

  get metrics(): Metric[] {
    const ofDb = (read: (db: WatchDb) => Promise<number>) => async () => {
      const db = await this.#parts.host.db().catch(() => undefined);
      return db === undefined ? [] : [{ labels: {}, value: await read(db) }];
    };
    return [
      this.#events,
      this.#deliveries,
      gauge('isccd_search_watches', 'Watches of all indexes', [], ofDb(rowsOf('watches'))),
      gauge(
        'isccd_search_watch_changes',
        'Commits that were not compared with watches yet',
        [],
        ofDb(rowsOf('watch_changes')),
      ),
      gauge(
        'isccd_search_watch_lag_seconds',
        'Age of the oldest of these commits; 0 without one',
        [],
        ofDb(lag),
      ),
      gauge(
        'isccd_search_webhook_waiting',
        'Events that wait for their delivery to webhooks of watches',
        [],
        ofDb(rowsOf('webhook_events')),
      ),
    ];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.watches.close();
    await this.#watcher.close();
    await this.#senders?.close();
    await (await this.#matcher)?.close();
    await this.#parts.host.close();
  }

  async #send(): Promise<void> {
    const { host, webhookKey: secretKey, allowed, log = createLogger('error') } = this.#parts;
    const db = await host.db().catch(() => undefined);
    if (db === undefined || secretKey === undefined || this.#senders !== undefined) return;
    clearInterval(this.#timer);
    const common = {
      service: 'search',
      db: outboxOf(db),
      log,
      configured: undefined,
      deliveries: this.#deliveries,
    } as const;
    this.#senders = new WebhookSenders({
      ...common,
      secretKey,
      timeoutMs: WEBHOOK_MS_MAX,
      allowed,
      hasMany: true,
    });
    this.#senders.start();
  }
}

/** Counts the rows of a table. */
function rowsOf(table: 'watches' | 'watch_changes' | 'webhook_events') {
  return async (db: WatchDb): Promise<number> => {
    const all = db.selectFrom(table).select(({ fn }) => fn.countAll<number | string>().as('rows'));
    return Number((await all.executeTakeFirstOrThrow()).rows);
  };
}

async function lag(db: WatchDb): Promise<number> {
  const oldest = await db
    .selectFrom('watch_changes')
    .select('at')
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst();
  return oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest.at) / 1000);
}
