/**
 * What requests under way are doing, for whoever waits for one. No more is kept than there are requests, and the last
 * few that are over; and each is found only from where its request came.
 */
import { EventEmitter, once } from 'node:events';
import type { StepChange, StepName } from './pipeline/stopwatch.js';

export interface Progress {
  /** Goes up with each change: what a client has seen. */
  readonly changes: number;
  readonly done: boolean;
  /** In the order they began. */
  readonly steps: readonly StepChange[];
}

/** Whoever asks next after a request has ended is still told so. */
const ENDED_KEPT_MAX = 1000;

const NOTHING_YET: Progress = { changes: 0, done: false, steps: [] };

/** So long a question waits for news of a job, and for a job that has not begun. */
const WAIT_MAX_MS = 8000;
const BEGIN_MAX_MS = 1000;

export class ProgressBoard {
  readonly #jobs = new Map<string, Job>();
  /** Ids of jobs that have ended, oldest first. */
  readonly #ended: string[] = [];
  /** Emits a job's {@link Progress} under its id. */
  readonly #news = new EventEmitter().setMaxListeners(0);

  /** Begins a job under a key that its sender has chosen. */
  begin(uploader: string, key: string): Job {
    const id = idOf(uploader, key);
    const job = new Job((progress) => {
      if (progress.done) this.#keepFew(id);
      this.#news.emit(id, progress);
    });
    this.#jobs.set(id, job);
    return job;
  }

  #keepFew(id: string): void {
    const oldest = this.#ended.push(id) > ENDED_KEPT_MAX ? this.#ended.shift() : undefined;
    // The key may have been used again since.
    if (oldest !== undefined && this.#jobs.get(oldest)?.progress.done) this.#jobs.delete(oldest);
  }

  /** What has changed since `seen`; waits for it, and for a job that has not begun. */
  async next(uploader: string, key: string, seen: number, signal: AbortSignal): Promise<Progress> {
    const id = idOf(uploader, key);
    const known = this.#jobs.get(id)?.progress;
    const now = known ?? NOTHING_YET;
    if (now.changes > seen || now.done) return now;
    if (signal.aborted) return now;
    // Not `AbortSignal.any` of a timeout: Node 20 lets the collector take the timeout, which then never comes.
    const end = new AbortController();
    const stop = () => end.abort();
    const timer = setTimeout(stop, known ? WAIT_MAX_MS : BEGIN_MAX_MS);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const [news] = (await once(this.#news, id, { signal: end.signal })) as [Progress];
      return news;
    } catch {
      // Nothing is new.
      return now;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }
}

export class Job {
  readonly #tell: (progress: Progress) => void;
  readonly #steps = new Map<StepName, StepChange>();
  #changes = 0;
  #done = false;

  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell;
  }

  get progress(): Progress {
    return { changes: this.#changes, done: this.#done, steps: [...this.#steps.values()] };
  }

  /** A step has begun, or ended. */
  readonly change = (step: StepChange): void => {
    this.#steps.set(step.name, step);
    this.#tellOf();
  };

  end(): void {
    this.#done = true;
    this.#tellOf();
  }

  #tellOf(): void {
    this.#changes += 1;
    this.#tell(this.progress);
  }
}

function idOf(uploader: string, key: string): string {
  return `${uploader} ${key}`;
}
