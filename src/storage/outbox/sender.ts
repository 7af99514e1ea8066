/**
 * Sends events to one receiver. Delivery is at-least-once: an event leaves the outbox after a 2xx response. One process of
 * several sends at a time, in the order of the events; a failed event waits for its next attempt while later ones are
 * sent.
 */
import type { Agent } from 'undici';
import { failureReason } from '../../platform/failure-reason.js';
import type { Logger } from '../../platform/observe/log.js';
import { signedHeaders } from '../../platform/signing/webhook.js';
import { withTimeLimit } from '../../platform/time-limit.js';
import { version } from '../../platform/version.js';
import { Outbox, PAUSE_DOUBLINGS, PAUSE_MS_MIN } from './outbox.js';
import type { OutboxDb, WebhookEventRow } from './tables.js';

const BATCH_EVENTS = 50;
/** Added to the time-out, because one request runs under each renewal of the lease. */
const LEASE_SLACK_MS = 10_000;
const PAUSE_MS_MAX = 60 * 60_000;
/** Pause of all deliveries after one without a response. */
const UNREACHABLE_MS = 5_000;
/** An event is given up after the first failed attempt at this age. */
export const GIVE_UP_MS = 72 * 60 * 60_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
const ERROR_CHARACTERS_MAX = 300;

export interface WebhookTarget {
  /** Key of the receiver. */
  readonly webhook: number;
  /** Redirects are not followed. */
  readonly url: string;
  /** Key of the signatures. */
  readonly key: Buffer;
  /** Opens connections to the addresses that the receiver may have. The sender closes it. */
  readonly agent: Agent;
}

export interface WebhookParts {
  readonly db: OutboxDb;
  readonly log: Logger;
  readonly target: WebhookTarget;
  readonly timeoutMs: number;
  readonly onAttempt: (outcome: 'delivered' | 'failed' | 'given-up') => void;
}

/** `undefined` if the event was delivered. */
type Failure = { readonly reason: string; readonly isUnreachable: boolean } | undefined;

export class WebhookSender {
  readonly #parts: WebhookParts;
  readonly #outbox: Outbox;
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #isAwake = false;
  /** Monotonic time. */
  #pausedUntilMs = 0;

  constructor(parts: WebhookParts) {
    const { db, target, timeoutMs } = parts;
    this.#parts = parts;
    this.#outbox = new Outbox(db, target.webhook, timeoutMs + LEASE_SLACK_MS);
    this.#agent = target.agent;
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
    const isPaused = () => this.#closing.signal.aborted || performance.now() < this.#pausedUntilMs;
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
    const { log, onAttempt, target } = this.#parts;
    if (failure === undefined) {
      await this.#outbox.delivered(event.key, Date.now());
      onAttempt('delivered');
      return;
    }
    if (this.#closing.signal.aborted) return;
    if (failure.isUnreachable) this.#pausedUntilMs = performance.now() + UNREACHABLE_MS;
    const fields = {
      webhook: target.webhook,
      event: event.event_id,
      type: event.type,
      attempts: event.attempts + 1,
    };
    const now = Date.now();
    await this.#outbox.failed(now, failure.reason);
    // A clock that jumped ahead must not end the attempts.
    if (now - event.at >= GIVE_UP_MS && event.attempts >= PAUSE_DOUBLINGS) {
      await this.#outbox.remove(event.key);
      onAttempt('given-up');
      log.error({ ...fields, reason: failure.reason, body: event.body }, 'gave up a webhook event');
      return;
    }
    const pause = pauseAfter(event.attempts);
    await this.#outbox.postpone(event.key, now + pause, failure.reason);
    onAttempt('failed');
    log.warn({ ...fields, reason: failure.reason, pauseMs: pause }, 'could not deliver a webhook event');
  }

  async #post(event: WebhookEventRow): Promise<Failure> {
    const { timeoutMs } = this.#parts;
    try {
      const status = await withTimeLimit(timeoutMs, this.#closing.signal, (signal) =>
        this.#statusOf(event, signal),
      );
      if (status >= 200 && status < 300) return undefined;
      return { reason: `the receiver responded with ${status}`, isUnreachable: false };
    } catch (error) {
      const reason = failureReason(error);
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
    // The content does not matter; reading it frees the connection. A body that does not end costs the connection only.
    await response.body.dump({ limit: RESPONSE_BYTES_MAX, signal }).catch(() => response.body.destroy());
    return response.statusCode;
  }
}

/** Doubles from 5 s to an hour, with up to 10 % more, so that replicas of receivers do not get bursts. */
function pauseAfter(attempts: number): number {
  const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(attempts, PAUSE_DOUBLINGS));
  return Math.round(pause * (1 + Math.random() / 10));
}
