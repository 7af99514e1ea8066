/**
 * Progress of uploads and jobs in processing, for clients that poll it. Keeps the current ones and a limited number of ended
 * ones. Only the client that sent an upload can query it.
 */
import { EventEmitter, once } from 'node:events';
import { withTimeLimit } from '../../../platform/time-limit.js';
import type { describedError } from '../error-form.js';
import type { StepChange, StepName } from '../pipeline/stopwatch.js';
import type { MediaId } from '../uploads/media-id.js';

/** What became of a job. */
export type JobEnd =
  | { readonly state: 'done'; readonly mediaId: MediaId }
  | { readonly state: 'failed'; readonly error: ReturnType<typeof describedError> }
  | { readonly state: 'cancelled' };

export interface Progress {
  /** Number of changes so far. */
  readonly changes: number;
  readonly done: boolean;
  /** In starting order. */
  readonly steps: readonly StepChange[];
  /** Of a job that has ended. */
  readonly end?: JobEnd;
}

/** The progress of uploads or jobs: of this process, or shared by instances. */
export interface ProgressPort {
  /**
   * Begins a job under a key chosen by the client, or by the service.
   *
   * @param onCancel called by {@link cancel}, through any instance
   */
  begin(uploader: string, key: string, onCancel?: () => void): Job;
  /**
   * The progress as it is; `undefined` if it is unknown.
   *
   * @throws {Unavailable} if the progress may be that of an instance that cannot be asked
   */
  find(uploader: string, key: string): Promise<Progress | undefined>;
  /** The progress once it has more than `seen` changes, or the current one after a timeout. */
  next(uploader: string, key: string, seen: number, signal: AbortSignal): Promise<Progress>;
  /**
   * Cancels a job and forgets it. Resolves when it has ended.
   *
   * @throws {Unavailable} as {@link find}
   */
  cancel(uploader: string, key: string): Promise<void>;
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

  /** @param options `onChange` is called with each change too */
  begin(uploader: string, key: string, onCancel?: () => void, options: BeginOptions = {}): Job {
    const id = idOf(uploader, key);
    const onChange = (progress: Progress) => {
      if (progress.done) this.#evictEnded(id);
      this.#events.emit(id, progress);
      options.onChange?.(progress);
    };
    const job = new Job(onChange, onCancel, options.shared);
    this.#jobs.set(id, job);
    return job;
  }

  /** As {@link find}. */
  now(uploader: string, key: string): Progress | undefined {
    return this.#jobs.get(idOf(uploader, key))?.progress;
  }

  async find(uploader: string, key: string): Promise<Progress | undefined> {
    return this.now(uploader, key);
  }

  async cancel(uploader: string, key: string): Promise<void> {
    const id = idOf(uploader, key);
    const job = this.#jobs.get(id);
    await job?.cancel();
    // The key may have been used again since.
    if (this.#jobs.get(id) === job) this.#jobs.delete(id);
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

interface BeginOptions {
  readonly onChange?: (progress: Progress) => void;
  readonly shared?: Promise<void>;
}

export class Job {
  readonly #onChange: (progress: Progress) => void;
  readonly #onCancel: () => void;
  readonly #steps = new Map<StepName, StepChange>();
  readonly #ended: Promise<void>;
  #endNow: () => void = () => {};
  /** Resolves when all instances can find the job, or Redis is unavailable. */
  readonly shared: Promise<void>;
  #changes = 0;
  #done = false;
  #end: JobEnd | undefined;

  constructor(
    onChange: (progress: Progress) => void,
    onCancel: () => void = () => {},
    shared: Promise<void> = Promise.resolve(),
  ) {
    [this.#onChange, this.#onCancel, this.shared] = [onChange, onCancel, shared];
    this.#ended = new Promise((resolve) => {
      this.#endNow = resolve;
    });
  }

  get progress(): Progress {
    const [steps, end] = [[...this.#steps.values()], this.#end];
    return { changes: this.#changes, done: this.#done, steps, ...(end && { end }) };
  }

  /** Resolves when the job has ended. */
  cancel(): Promise<void> {
    if (!this.#done) this.#onCancel();
    return this.#ended;
  }

  /** Records that a step has begun or ended. */
  readonly change = (step: StepChange): void => {
    // The percentage of a step is kept when it ends.
    const { percent } = this.#steps.get(step.name) ?? {};
    this.#steps.set(step.name, { ...(percent !== undefined && { percent }), ...step });
    this.#notify();
  };

  /** @param end what became of it, if it is more than the processing of a request */
  end(end?: JobEnd): void {
    [this.#done, this.#end] = [true, end];
    this.#notify();
    this.#endNow();
  }

  #notify(): void {
    this.#changes += 1;
    this.#onChange(this.progress);
  }
}

function idOf(uploader: string, key: string): string {
  return `${uploader} ${key}`;
}
