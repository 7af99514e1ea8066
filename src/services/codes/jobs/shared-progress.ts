/**
 * Progress of uploads or jobs in Redis, so that a client can poll and cancel them through any instance. While Redis is
 * unavailable, only the instance that processes an upload knows its progress. Import it only if Redis is configured.
 */
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { RedisLink } from '../../../platform/redis/link.js';
import { withTimeLimit } from '../../../platform/time-limit.js';
import { Unavailable } from '../errors.js';
import {
  BEGIN_MAX_MS,
  type Job,
  NOTHING_YET,
  type Progress,
  ProgressBoard,
  type ProgressPort,
  WAIT_MAX_MS,
} from './progress.js';

/** Where the progress of uploads is, in the names of keys and of the channel. */
export const UPLOADS = 'isccd:progress';
/** Where that of jobs is. */
export const JOBS = 'isccd:jobs';
/** Times in milliseconds. */
const TIMES = {
  /** How often an instance confirms what it processes. */
  confirm: 10_000,
  /** What an instance no longer confirms, because it was killed, is forgotten. */
  runningKept: 30_000,
  endedKept: 600_000,
};

/** What instances tell each other. */
type Message =
  | { readonly id: string; readonly progress: Progress }
  | { readonly id: string; readonly isCancelled: true };

/** The local board keeps ids of {@link idOf}, which include the uploader. */
const ANY_UPLOADER = '';

export class SharedProgress implements ProgressPort {
  readonly #link: RedisLink;
  readonly #channel: string;
  readonly #times: typeof TIMES;
  readonly #local = new ProgressBoard();
  /** What this instance processes. */
  readonly #running = new Map<string, Job>();
  /** Emits the {@link Progress} of uploads in all instances under their ids. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #timer: NodeJS.Timeout;

  private constructor(link: RedisLink, channel: string, times: typeof TIMES) {
    [this.#link, this.#channel, this.#times] = [link, channel, times];
    this.#timer = setInterval(() => {
      for (const [id, job] of this.#running) void this.#store(id, job.progress);
    }, times.confirm).unref();
  }

  static async open(link: RedisLink, channel: string, times = TIMES): Promise<SharedProgress> {
    const shared = new SharedProgress(link, channel, times);
    await link.listen(channel, (text) => {
      const message = JSON.parse(text) as Message;
      if ('progress' in message) shared.#events.emit(message.id, message.progress);
      else void shared.#cancelOwn(message.id);
    });
    return shared;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  begin(uploader: string, key: string, onCancel?: () => void): Job {
    const id = idOf(uploader, key);
    // An earlier upload with this key may have ended.
    const shared = this.#publish(id, NOTHING_YET);
    const onChange = (progress: Progress) => {
      if (progress.done) this.#running.delete(id);
      void this.#publish(id, progress);
    };
    const job = this.#local.begin(ANY_UPLOADER, id, onCancel, { onChange, shared });
    this.#running.set(id, job);
    return job;
  }

  async find(uploader: string, key: string): Promise<Progress | undefined> {
    const id = idOf(uploader, key);
    const own = this.#local.now(ANY_UPLOADER, id);
    if (own !== undefined) return own;
    const stored = await this.#stored(id);
    if (stored === undefined) throw new Unavailable('PROGRESS_UNAVAILABLE');
    return stored ?? undefined;
  }

  async next(uploader: string, key: string, seen: number, signal: AbortSignal): Promise<Progress> {
    const id = idOf(uploader, key);
    const own = this.#local.now(ANY_UPLOADER, id);
    if (own?.done === false) return this.#local.next(ANY_UPLOADER, id, seen, signal);
    // Listens before it reads, so that no change is missed.
    const heard: Progress[] = [];
    const hear = (progress: Progress) => void heard.push(progress);
    this.#events.on(id, hear);
    try {
      const stored = await this.#stored(id);
      if (stored === undefined) return await this.#local.next(ANY_UPLOADER, id, seen, signal);
      const known = heard.at(-1) ?? stored ?? own;
      const now = known ?? NOTHING_YET;
      if (now.changes > seen || now.done || signal.aborted) return now;
      return await this.#change(id, known === undefined ? BEGIN_MAX_MS : WAIT_MAX_MS, signal, now);
    } finally {
      this.#events.off(id, hear);
    }
  }

  async cancel(uploader: string, key: string): Promise<void> {
    const id = idOf(uploader, key);
    const unlimited = new AbortController().signal;
    for (;;) {
      if (await this.#cancelOwn(id)) return;
      const now = await this.find(uploader, key);
      // The instance that ended the job has forgotten it, or was killed.
      if (now === undefined) return;
      if (now.done) await this.#forget(id);
      await this.#send({ id, isCancelled: true });
      if (now.done) return;
      await this.next(uploader, key, now.changes, unlimited);
    }
  }

  /** Cancels and forgets a job of this instance; `false` if it runs elsewhere. */
  async #cancelOwn(id: string): Promise<boolean> {
    if (this.#local.now(ANY_UPLOADER, id) === undefined) return false;
    await this.#local.cancel(ANY_UPLOADER, id);
    await this.#forget(id);
    return true;
  }

  /** The next change, or `now` after a timeout. */
  async #change(id: string, ms: number, signal: AbortSignal, now: Progress): Promise<Progress> {
    try {
      const wait = (end: AbortSignal) => once(this.#events, id, { signal: end }) as Promise<[Progress]>;
      const [progress] = await withTimeLimit(ms, signal, wait);
      return progress;
    } catch {
      // Timed out or aborted: no change.
      return now;
    }
  }

  async #publish(id: string, progress: Progress): Promise<void> {
    await Promise.all([this.#store(id, progress), this.#send({ id, progress })]);
  }

  async #store(id: string, progress: Progress): Promise<void> {
    const keptMs = progress.done ? this.#times.endedKept : this.#times.runningKept;
    await this.#link.run((redis) => redis.set(this.#keyOf(id), JSON.stringify(progress), 'PX', keptMs));
  }

  /** `null` if Redis has none, `undefined` if it is unavailable. */
  async #stored(id: string): Promise<Progress | null | undefined> {
    const text = await this.#link.run((redis) => redis.get(this.#keyOf(id)));
    return typeof text === 'string' ? (JSON.parse(text) as Progress) : text;
  }

  async #forget(id: string): Promise<void> {
    await this.#link.run((redis) => redis.del(this.#keyOf(id)));
  }

  async #send(message: Message): Promise<void> {
    await this.#link.run((redis) => redis.publish(this.#channel, JSON.stringify(message)));
  }

  #keyOf(id: string): string {
    return `${this.#channel}:${id}`;
  }
}

/** The client may choose the key: a hash has a fixed length and alphabet. */
function idOf(uploader: string, key: string): string {
  return createHash('sha256').update(`${uploader} ${key}`).digest('base64url');
}
