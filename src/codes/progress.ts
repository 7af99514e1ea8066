/**
 * Progress of uploads in processing, for clients that poll it. Keeps the current uploads and a limited number of ended
 * ones. Only the client that sent an upload can query it.
 */
import { EventEmitter, once } from 'node:events';
import { withTimeLimit } from '../time-limit.js';
import type { StepChange, StepName } from './pipeline/stopwatch.js';

export interface Progress {
  /** Number of changes so far. */
  readonly changes: number;
  readonly done: boolean;
  /** In starting order. */
  readonly steps: readonly StepChange[];
}

/** The progress of uploads: of this process, or shared by instances. */
export interface ProgressPort {
  /** Begins a job under a key chosen by the client. */
  begin(uploader: string, key: string): Job;
  /** The progress once it has more than `seen` changes, or the current one after a timeout. */
  next(uploader: string, key: string, seen: number, signal: AbortSignal): Promise<Progress>;
}

/** Number of ended uploads kept, so that a late poll still learns of the end. */
const ENDED_KEPT_MAX = 1000;

export const NOTHING_YET: Progress = { changes: 0, done: false, steps: [] };

/** Maximum time a poll waits for a change of a job, and for a job that has not begun. */
export const WAIT_MAX_MS = 8000;
export const BEGIN_MAX_MS = 1000;

export class ProgressBoard implements ProgressPort {
  readonly #jobs = new Map<string, Job>();
  /** Ids of jobs that have ended, oldest first. */
  readonly #ended: string[] = [];
  /** Emits a job's {@link Progress} under its id. */
  readonly #events = new EventEmitter().setMaxListeners(0);

  /** @param onChange called with each change too */
  begin(uploader: string, key: string, onChange: (progress: Progress) => void = () => {}): Job {
    const id = idOf(uploader, key);
    const job = new Job((progress) => {
      if (progress.done) this.#evictEnded(id);
      this.#events.emit(id, progress);
      onChange(progress);
    });
    this.#jobs.set(id, job);
    return job;
  }

  /** The progress of a job of this process as it is; `undefined` if it is unknown. */
  now(uploader: string, key: string): Progress | undefined {
    return this.#jobs.get(idOf(uploader, key))?.progress;
  }

  #evictEnded(id: string): void {
    const oldest = this.#ended.push(id) > ENDED_KEPT_MAX ? this.#ended.shift() : undefined;
    // The key may have been reused since.
    if (oldest !== undefined && this.#jobs.get(oldest)?.progress.done) this.#jobs.delete(oldest);
  }

  async next(uploader: string, key: string, seen: number, signal: AbortSignal): Promise<Progress> {
    const id = idOf(uploader, key);
    const known = this.#jobs.get(id)?.progress;
    const now = known ?? NOTHING_YET;
    if (now.changes > seen || now.done) return now;
    if (signal.aborted) return now;
    try {
      const [progress] = await withTimeLimit(
        known ? WAIT_MAX_MS : BEGIN_MAX_MS,
        signal,
        (end) => once(this.#events, id, { signal: end }) as Promise<[Progress]>,
      );
      return progress;
    } catch {
      // Timed out or aborted: no change.
      return now;
    }
  }
}

export class Job {
  readonly #onChange: (progress: Progress) => void;
  readonly #steps = new Map<StepName, StepChange>();
  #changes = 0;
  #done = false;

  constructor(onChange: (progress: Progress) => void) {
    this.#onChange = onChange;
  }

  get progress(): Progress {
    return { changes: this.#changes, done: this.#done, steps: [...this.#steps.values()] };
  }

  /** Records that a step has begun or ended. */
  readonly change = (step: StepChange): void => {
    // The percentage of a step is kept when it ends.
    const { percent } = this.#steps.get(step.name) ?? {};
    this.#steps.set(step.name, { ...(percent !== undefined && { percent }), ...step });
    this.#notify();
  };

  end(): void {
    this.#done = true;
    this.#notify();
  }

  #notify(): void {
    this.#changes += 1;
    this.#onChange(this.progress);
  }
}

function idOf(uploader: string, key: string): string {
  return `${uploader} ${key}`;
}
