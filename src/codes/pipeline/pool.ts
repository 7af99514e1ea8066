/**
 * Pool of worker processes for untrusted files. A crash, hang or excessive memory use only fails the job that caused
 * it; the next job gets a new process. Design: docs/design/worker-pool.md.
 */
import type { StepChange } from './stopwatch.js';
import type { Unwatch } from './worker-process.js';
import { WorkerLost, WorkerProcess } from './worker-process.js';

export interface PoolLimits {
  readonly workersMax: number;
  /** Maximum length of the queue. Further jobs are rejected with {@link PoolBusy}. */
  readonly queuedJobsMax: number;
  readonly jobDurationMaxMs: number;
  /** Maximum resident memory of one worker. */
  readonly workerRssMaxBytes: number;
  /** A worker with more resident memory than this after a job is replaced. */
  readonly restingRssMaxBytes: number;
  /** A worker is replaced after this many jobs, because libraries leak memory. */
  readonly jobsPerWorkerMax: number;
}

export interface RunOptions {
  /** Cancels the job or removes it from the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Added to the time limit. */
  readonly extraMs?: number;
  /** Whether the job may run again if its worker crashes or is killed from outside. */
  readonly repeatable?: boolean;
  /** Called when a step of a watched job begins or ends. */
  readonly onStep?: ((step: StepChange) => void) | undefined;
}

/** The queue is full or the pool is closed. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy';
}

/** Delay after a job before the memory of an idle worker is checked, so that a busy server never checks. */
const REST_MS = 1000;

interface Task<Job, Output> {
  readonly job: Job;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
  readonly options: RunOptions;
  unwatch: Unwatch;
  isRepeated: boolean;
}

export class WorkerPool<Job, Output> {
  readonly #entry: string;
  readonly #limits: PoolLimits;
  readonly #workers = new Set<WorkerProcess<Job, Output>>();
  readonly #idle: WorkerProcess<Job, Output>[] = [];
  /** Workers with a scheduled memory check. */
  readonly #resting = new Set<WorkerProcess<Job, Output>>();
  readonly #queue: Task<Job, Output>[] = [];
  #closed = false;

  /** @param entry script that each worker runs */
  constructor(entry: string, limits: PoolLimits) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /** Number of jobs that wait for a worker. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Number of jobs in progress. */
  get running(): number {
    return this.#workers.size - this.#idle.length;
  }

  /** Starts one worker before the first job arrives. Resolves when it is ready. */
  async warm(): Promise<void> {
    if (this.#workers.size > 0) return;
    const worker = this.#spawn();
    this.#idle.push(worker);
    await worker.ready;
  }

  /**
   * Rejects with {@link PoolBusy}, with `JobFailed` if the job failed, with `WorkerLost` if its worker ended (twice, if
   * the job is repeatable), or with the signal's reason.
   */
  run(job: Job, options: RunOptions = {}): Promise<Output> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      if (this.#closed) throw new PoolBusy('the pool is closed');
      const worker = this.#idle.pop() ?? (this.#mayGrow() ? this.#spawn() : undefined);
      const task: Task<Job, Output> = {
        job,
        resolve,
        reject,
        options,
        unwatch: () => undefined,
        isRepeated: false,
      };
      if (worker) this.#start(worker, task);
      else this.#enqueue(task);
    });
  }

  /** Ends all workers and rejects queued jobs. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#queue.splice(0)) task.reject(new PoolBusy('the pool is closed'));
    await Promise.all([...this.#workers].map((worker) => worker.kill('closed')));
  }

  #mayGrow(): boolean {
    return this.#workers.size < this.#limits.workersMax;
  }

  #spawn(): WorkerProcess<Job, Output> {
    const worker = new WorkerProcess<Job, Output>(this.#entry, this.#limits);
    this.#workers.add(worker);
    void worker.exited.then(() => this.#forget(worker));
    return worker;
  }

  #enqueue(task: Task<Job, Output>): void {
    if (this.#queue.length >= this.#limits.queuedJobsMax) throw new PoolBusy('the queue is full');
    task.unwatch = onAbort(task.options.signal, (reason) => {
      this.#queue.splice(this.#queue.indexOf(task), 1);
      task.reject(reason);
    });
    this.#queue.push(task);
  }

  #start(worker: WorkerProcess<Job, Output>, task: Task<Job, Output>): void {
    task.unwatch();
    const { signal } = task.options;
    // Rejects after the worker has ended, so that nothing writes to the file of the job any more.
    const unwatch = onAbort(signal, () => void worker.kill('cancelled'));
    worker
      .run(task.job, task.options)
      .then(task.resolve, (error: unknown) => {
        if (signal?.aborted) return task.reject(signal.reason);
        if (!this.#mayRepeat(task, error)) return task.reject(error);
        // Runs next, on another worker: a crash may have other reasons than this job.
        task.isRepeated = true;
        this.#queue.unshift(task);
      })
      .finally(() => {
        unwatch();
        this.#release(worker);
      });
  }

  #mayRepeat({ options, isRepeated }: Task<Job, Output>, error: unknown): boolean {
    const isCrash = error instanceof WorkerLost && error.reason === 'crashed';
    return isCrash && options.repeatable === true && !isRepeated && !this.#closed;
  }

  #release(worker: WorkerProcess<Job, Output>): void {
    // An ending worker no longer counts, so that the next job does not wait for its exit.
    if (!worker.alive || worker.jobsDone >= this.#limits.jobsPerWorkerMax) {
      this.#retire(worker);
      this.#startNext(undefined);
    } else if (worker.wasLarge) {
      void this.#isLarge(worker).then((large) => {
        if (large) this.#retire(worker);
        this.#startNext(large ? undefined : worker);
      });
    } else {
      this.#startNext(worker);
      this.#watchResting(worker);
    }
  }

  #retire(worker: WorkerProcess<Job, Output>): void {
    this.#workers.delete(worker);
    void worker.kill('retired');
  }

  async #isLarge(worker: WorkerProcess<Job, Output>): Promise<boolean> {
    return (await worker.residentBytes()) > this.#limits.restingRssMaxBytes || !worker.alive;
  }

  /** Schedules one memory check for several short jobs, which end before the periodic check sees them. */
  #watchResting(worker: WorkerProcess<Job, Output>): void {
    if (this.#resting.has(worker)) return;
    this.#resting.add(worker);
    const check = async () => {
      this.#resting.delete(worker);
      if (!(await this.#isLarge(worker))) return;
      const index = this.#idle.indexOf(worker);
      if (index < 0) return;
      this.#idle.splice(index, 1);
      this.#retire(worker);
      // So that the next job does not wait for a worker to start.
      if (!this.#closed) this.warm().catch(() => undefined);
    };
    setTimeout(check, REST_MS).unref();
  }

  #startNext(worker: WorkerProcess<Job, Output> | undefined): void {
    const task = this.#queue.shift();
    if (task && !this.#closed) this.#start(worker ?? this.#spawn(), task);
    else if (worker) this.#idle.push(worker);
  }

  #forget(worker: WorkerProcess<Job, Output>): void {
    this.#workers.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
  }
}

function onAbort(signal: AbortSignal | undefined, act: (reason: unknown) => void): Unwatch {
  if (signal === undefined) return () => undefined;
  const listener = () => act(signal.reason);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
