/**
 * Progress of uploads in Redis, so that a client can poll it through any instance. While Redis is unavailable, only the
 * instance that processes an upload knows its progress. Import it only if Redis is configured.
 */
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { RedisLink } from '../redis/link.js';
import { withTimeLimit } from '../time-limit.js';
import {
  BEGIN_MAX_MS,
  type Job,
  NOTHING_YET,
  type Progress,
  ProgressBoard,
  type ProgressPort,
  WAIT_MAX_MS,
} from './progress.js';

const CHANNEL = 'isccd:progress';
/** Longer than any upload and its processing without a step. */
const RUNNING_KEPT_MS = 3_600_000;
const ENDED_KEPT_MS = 600_000;

interface Message {
  readonly id: string;
  readonly progress: Progress;
}

export class SharedProgress implements ProgressPort {
  readonly #link: RedisLink;
  readonly #local = new ProgressBoard();
  /** Emits the {@link Progress} of uploads in all instances under their ids. */
  readonly #events = new EventEmitter().setMaxListeners(0);

  private constructor(link: RedisLink) {
    this.#link = link;
  }

  static async open(link: RedisLink): Promise<SharedProgress> {
    const shared = new SharedProgress(link);
    await link.listen(CHANNEL, (message) => {
      const { id, progress } = JSON.parse(message) as Message;
      shared.#events.emit(id, progress);
    });
    return shared;
  }

  begin(uploader: string, key: string): Job {
    const id = idOf(uploader, key);
    // An earlier upload with this key may have ended.
    this.#publish(id, NOTHING_YET);
    return this.#local.begin(uploader, key, (progress) => this.#publish(id, progress));
  }

  async next(uploader: string, key: string, seen: number, signal: AbortSignal): Promise<Progress> {
    const own = this.#local.now(uploader, key);
    if (own?.done === false) return this.#local.next(uploader, key, seen, signal);
    const id = idOf(uploader, key);
    // Listens before it reads, so that no change is missed.
    const heard: Progress[] = [];
    const hear = (progress: Progress) => void heard.push(progress);
    this.#events.on(id, hear);
    try {
      const stored = await this.#link.run((redis) => redis.get(keyOf(id)));
      if (stored === undefined) return await this.#local.next(uploader, key, seen, signal);
      const known = heard.at(-1) ?? (stored === null ? own : (JSON.parse(stored) as Progress));
      const now = known ?? NOTHING_YET;
      if (now.changes > seen || now.done || signal.aborted) return now;
      return await this.#change(id, known === undefined ? BEGIN_MAX_MS : WAIT_MAX_MS, signal, now);
    } finally {
      this.#events.off(id, hear);
    }
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

  #publish(id: string, progress: Progress): void {
    const message: Message = { id, progress };
    const keptMs = progress.done ? ENDED_KEPT_MS : RUNNING_KEPT_MS;
    void this.#link.run((redis) =>
      Promise.all([
        redis.set(keyOf(id), JSON.stringify(progress), 'PX', keptMs),
        redis.publish(CHANNEL, JSON.stringify(message)),
      ]),
    );
  }
}

/** The client chooses the key: a hash has a fixed length and alphabet. */
function idOf(uploader: string, key: string): string {
  return createHash('sha256').update(`${uploader} ${key}`).digest('base64url');
}

function keyOf(id: string): string {
  return `${CHANNEL}:${id}`;
}
