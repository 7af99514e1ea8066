/**
 * Sends events to the operator's receiver. Delivery is at-least-once: an event leaves the outbox after a 2xx response.
 * One process of several sends at a time, in the order of the events; a failed event waits for its next attempt while
 * later ones are sent.
 */
import { Agent } from 'undici';
import type { Db } from '../../database/open.js';
import type { WebhookEventRow } from '../../database/tables.js';
import { counter, gauge, type Metric } from '../../observe/instruments.js';
import type { Logger } from '../../observe/log.js';
import { signedHeaders } from '../../signing/webhook.js';
import { withTimeLimit } from '../../time-limit.js';
import { version } from '../../version.js';
import { Outbox } from './outbox.js';

const POLL_MS = 1_000;
const BATCH_EVENTS = 50;
/** Added to the time-out, because one request runs under each renewal of the lease. */
const LEASE_SLACK_MS = 10_000;
const PAUSE_MS_MIN = 5_000;
const PAUSE_MS_MAX = 60 * 60_000;
/** Pause of all deliveries after one without a response. */
const UNREACHABLE_MS = 5_000;
/** An event is given up after the first failed attempt at this age. */
export const GIVE_UP_MS = 72 * 60 * 60_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
const ERROR_CHARACTERS_MAX = 300;

export interface WebhookTarget {
  /** Chosen by the operator, so that it may be a private address. Redirects are not followed. */
  readonly url: string;
  readonly key: Buffer;
  readonly timeoutMs: number;
}

export interface WebhookParts {
  readonly db: Db;
  readonly log: Logger;
  readonly target: WebhookTarget;
}

/** `undefined` if the event was delivered. */
type Failure = { readonly reason: string; readonly isUnreachable: boolean } | undefined;

export class WebhookSender {
  readonly #parts: WebhookParts;
  readonly #outbox: Outbox;
  readonly #agent: Agent;
  readonly #deliveries = counter('isccd_store_webhook_deliveries_total', 'Attempts to deliver an event', [
    'outcome',
  ]);
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #isAwake = false;
  #timer: NodeJS.Timeout | undefined;
  #pausedUntilMs = 0;

  constructor(parts: WebhookParts) {
    const { timeoutMs } = parts.target;
    this.#parts = parts;
    this.#outbox = new Outbox(parts.db, timeoutMs + LEASE_SLACK_MS);
    this.#agent = new Agent({ connect: { timeout: timeoutMs } });
  }

  get metrics(): Metric[] {
    const help = 'Events that wait for their delivery to the webhook receiver';
    const waiting = async () => [{ labels: {}, value: await this.#outbox.waiting() }];
    return [this.#deliveries, gauge('isccd_store_webhook_waiting', help, [], waiting)];
  }

  /** Sends what is due now and later, in the background. */
  start(): void {
    this.wake();
    this.#timer = setInterval(() => this.wake(), POLL_MS).unref();
  }

  /** Sends what is due, unless that happens already. */
  wake(): void {
    this.#isAwake = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends the request in flight. Its event is sent again by the next process. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#running;
    await this.#agent.destroy();
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAwake && !this.#closing.signal.aborted) {
        this.#isAwake = false;
        await this.#round();
      }
    } catch (error) {
      this.#parts.log.error({ err: error }, 'could not read or change the outbox of webhooks');
    }
  }

  async #round(): Promise<void> {
    const outbox = this.#outbox;
    const isPaused = () => this.#closing.signal.aborted || Date.now() < this.#pausedUntilMs;
    // The common case: nothing to send, found by one read.
    if (isPaused() || (await outbox.due(Date.now(), 1)).length === 0) return;
    if (!(await outbox.lease(Date.now()))) return;
    try {
      for (;;) {
        // Read under the lease: before it, another process may have delivered them.
        const events = await outbox.due(Date.now(), BATCH_EVENTS);
        if (events.length === 0) return;
        for (const event of events) {
          if (isPaused() || !(await outbox.lease(Date.now()))) return;
          await this.#deliver(event);
        }
      }
    } finally {
      await outbox.release();
    }
  }

  async #deliver(event: WebhookEventRow): Promise<void> {
    const failure = await this.#post(event);
    if (failure === undefined) {
      await this.#outbox.remove(event.key);
      this.#deliveries.inc({ outcome: 'delivered' });
      return;
    }
    if (this.#closing.signal.aborted) return;
    if (failure.isUnreachable) this.#pausedUntilMs = Date.now() + UNREACHABLE_MS;
    const { log } = this.#parts;
    const fields = { event: event.event_id, type: event.type, attempts: event.attempts + 1 };
    const now = Date.now();
    if (now - event.at >= GIVE_UP_MS) {
      await this.#outbox.remove(event.key);
      this.#deliveries.inc({ outcome: 'given-up' });
      log.error({ ...fields, reason: failure.reason, body: event.body }, 'gave up a webhook event');
      return;
    }
    const pause = pauseAfter(event.attempts);
    await this.#outbox.postpone(event.key, now + pause, failure.reason);
    this.#deliveries.inc({ outcome: 'failed' });
    log.warn({ ...fields, reason: failure.reason, pauseMs: pause }, 'could not deliver a webhook event');
  }

  async #post(event: WebhookEventRow): Promise<Failure> {
    const { timeoutMs } = this.#parts.target;
    try {
      const status = await withTimeLimit(timeoutMs, this.#closing.signal, (signal) =>
        this.#statusOf(event, signal),
      );
      if (status >= 200 && status < 300) return undefined;
      return { reason: `the receiver responded with ${status}`, isUnreachable: false };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { reason: reason.slice(0, ERROR_CHARACTERS_MAX), isUnreachable: true };
    }
  }

  async #statusOf({ event_id, body }: WebhookEventRow, signal: AbortSignal): Promise<number> {
    const { url, key } = this.#parts.target;
    const { origin, pathname, search } = new URL(url);
    const response = await this.#agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `isccd/${version}`,
        ...signedHeaders(key, event_id, Math.floor(Date.now() / 1000), body),
      },
      body,
      signal,
    });
    // The content does not matter; reading it frees the connection.
    await response.body.dump({ limit: RESPONSE_BYTES_MAX, signal });
    return response.statusCode;
  }
}

/** Doubles from 5 s to an hour, with up to 10 % more, so that replicas of receivers do not get bursts. */
function pauseAfter(attempts: number): number {
  const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(attempts, 20));
  return Math.round(pause * (1 + Math.random() / 10));
}
