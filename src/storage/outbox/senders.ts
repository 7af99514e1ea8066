/** Sends events to all receivers: the one of the configuration, and those that admins registered. */
import { operatorAgent, publicAgent } from '../../platform/egress/agents.js';
import { type Counter, counter, gauge, type Metric } from '../../platform/observe/instruments.js';
import type { Logger } from '../../platform/observe/log.js';
import { derivedKey } from '../../platform/signing/webhook.js';
import { WebhookSender, type WebhookTarget } from './sender.js';
import { CONFIGURED_WEBHOOK, type OutboxDb, type WebhookRow } from './tables.js';

const POLL_MS = 1_000;

export interface SendersParts {
  /** In the names of the metrics. */
  readonly service: 'store' | 'search';
  readonly db: OutboxDb;
  readonly log: Logger;
  /** Counts attempts. Default: a counter of the service. */
  readonly deliveries?: Counter<'outcome'>;
  /** Whether there may be thousands of receivers: then only those that have waiting events are served. */
  readonly hasMany?: boolean;
  /** The receiver of the configuration. */
  readonly configured: { readonly url: string; readonly key: Buffer } | undefined;
  /** From which the secrets of registered receivers are derived. */
  readonly secretKey: string;
  readonly timeoutMs: number;
  /** For tests: addresses that registered receivers may have although they are not public. */
  readonly allowed: ReadonlySet<string>;
}

type Receiver = Pick<WebhookRow, 'key' | 'url' | 'nonce'>;

export class WebhookSenders {
  readonly #parts: SendersParts;
  readonly #senders = new Map<number, WebhookSender>();
  readonly #deliveries: Counter<'outcome'>;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: SendersParts) {
    this.#parts = parts;
    this.#deliveries = parts.deliveries ?? deliveryCounter(parts.service);
  }

  get metrics(): Metric[] {
    const help = 'Events that wait for their delivery to webhook receivers';
    const waiting = async () => [{ labels: {}, value: await this.#waiting() }];
    return [this.#deliveries, gauge(`isccd_${this.#parts.service}_webhook_waiting`, help, [], waiting)];
  }

  /** Sends what is due now and later, in the background. */
  start(): void {
    const round = () => {
      this.#round ??= this.#wake().finally(() => {
        this.#round = undefined;
      });
    };
    round();
    this.#timer = setInterval(round, POLL_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#round;
    await Promise.all([...this.#senders.values()].map((sender) => sender.close()));
  }

  /** Follows changes of the receivers, also by other processes, and wakes the senders. */
  async #wake(): Promise<void> {
    const { db, log, hasMany = false } = this.#parts;
    try {
      const receivers = (await enabled(db, hasMany)).filter(({ key }) => this.#isServed(key));
      const keys = new Set(receivers.map(({ key }) => key));
      for (const [key, sender] of this.#senders) {
        if (keys.has(key)) continue;
        this.#senders.delete(key);
        await sender.close();
      }
      if (this.#isClosed) return;
      for (const receiver of receivers) this.#senderOf(receiver).wake();
    } catch (error) {
      log.error({ err: error }, 'could not read the receivers of webhooks');
    }
  }

  #isServed(webhook: number): boolean {
    return webhook !== CONFIGURED_WEBHOOK || this.#parts.configured !== undefined;
  }

  #senderOf(receiver: Receiver): WebhookSender {
    const known = this.#senders.get(receiver.key);
    if (known !== undefined) return known;
    const { db, log, timeoutMs } = this.#parts;
    const target = this.#targetOf(receiver);
    const onAttempt = (outcome: string) => this.#deliveries.inc({ outcome });
    const sender = new WebhookSender({ db, log, target, timeoutMs, onAttempt });
    this.#senders.set(receiver.key, sender);
    return sender;
  }

  /** The operator's own receiver may have any address; registered ones must be public. */
  #targetOf({ key: webhook, url, nonce }: Receiver): WebhookTarget {
    const { configured, secretKey, allowed, timeoutMs } = this.#parts;
    if (webhook === CONFIGURED_WEBHOOK && configured !== undefined)
      return { webhook, ...configured, agent: operatorAgent(timeoutMs) };
    const agent = publicAgent({ allowed, timeoutMs });
    return { webhook, url, key: derivedKey(secretKey, nonce), agent };
  }

  async #waiting(): Promise<number> {
    const { events } = await this.#parts.db
      .selectFrom('webhook_events')
      .innerJoin('webhooks', 'webhooks.key', 'webhook_events.webhook')
      .select(({ fn }) => fn.countAll<number | string>().as('events'))
      .executeTakeFirstOrThrow();
    return Number(events);
  }
}

/** Counts attempts to deliver. */
export function deliveryCounter(service: SendersParts['service']): Counter<'outcome'> {
  return counter(`isccd_${service}_webhook_deliveries_total`, 'Attempts to deliver an event', ['outcome']);
}

/** Enabled receivers. */
function enabled(db: OutboxDb, isWaiting: boolean): Promise<Receiver[]> {
  const all = db
    .selectFrom('webhooks')
    .select(['key', 'url', 'nonce'])
    .where('disabled_at', 'is', null)
    .orderBy('key');
  if (!isWaiting) return all.execute();
  return all.where('key', 'in', (events) => events.selectFrom('webhook_events').select('webhook')).execute();
}
