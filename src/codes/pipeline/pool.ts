/**
 * Child processes for work on files that strangers made. A crash, a hang or a memory blow-up costs
 * the one job that caused it; the next job gets a fresh process.
 */
import type { StepChange } from './stopwatch.js';
import type { Unwatch } from './worker-process.js';
import { WorkerProcess } from './worker-process.js';

export interface PoolLimits {
  readonly workersMax: number;
  /** Jobs that wait when every worker is busy; one more is {@link PoolBusy}. */
  readonly queuedJobsMax: number;
  readonly jobDurationMaxMs: number;
  /** Resident memory of one worker. */
  readonly workerRssMaxBytes: number;
  /** A worker that keeps more than this after a job is replaced: what a large file took need not come back. */
  readonly restingRssMaxBytes: number;
  /** A worker is replaced after so many jobs: libraries leak. */
  readonly jobsPerWorkerMax: number;
}

export interface RunOptions {
  /** Ends the job, or takes it out of the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Added to the limit of time. */
  readonly extraMs?: number;
  /** Told what a watched job sends before its answer. */
  readonly onStep?: ((step: StepChange) => void) | undefined;
}

/** The queue is full. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy';
}

/** So long after a job a worker that has nothing to do is looked at: never between the jobs of a busy server. */
const REST_MS = 1000;

interface Task<Job, Output> {
  readonly job: Job;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
  readonly options: RunOptions;
  unwatch: Unwatch;
}

export class WorkerPool<Job, Output> {
  readonly #entry: string;
  readonly #limits: PoolLimits;
  readonly #workers = new Set<WorkerProcess<Job, Output>>();
  readonly #idle: WorkerProcess<Job, Output>[] = [];
  /** Workers that will be looked at. */
  readonly #resting = new Set<WorkerProcess<Job, Output>>();
  readonly #queue: Task<Job, Output>[] = [];
  #closed = false;

  /** `entry` is the JavaScript file that each worker runs. */
  constructor(entry: string, limits: PoolLimits) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /** Jobs that wait for a worker. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Jobs that are being done. */
  get running(): number {
    return this.#workers.size - this.#idle.length;
  }

  /** Starts one worker ahead of the first job; resolves when it could take it. */
  async warm(): Promise<void> {
    if (this.#workers.size > 0) return;
    const worker = this.#spawn();
    this.#idle.push(worker);
    await worker.ready;
  }

  /**
   * Rejects with {@link PoolBusy}, with `JobFailed` when the job itself failed, with `WorkerLost` when it
   * took its worker down, or with the signal's reason.
   */
  run(job: Job, options: RunOptions = {}): Promise<Output> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      if (this.#closed) throw new PoolBusy('the pool is closed');
      const worker = this.#idle.pop() ?? (this.#mayGrow() ? this.#spawn() : undefined);
      const task: Task<Job, Output> = { job, resolve, reject, options, unwatch: () => undefined };
      if (worker) this.#start(worker, task);
      else this.#enqueue(task);
    });
  }

  /** Ends every worker; jobs that wait are rejected. */
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
    const unwatch = onAbort(task.options.signal, (reason) => {
      task.reject(reason);
      void worker.kill('cancelled');
    });
    worker
      .run(task.job, task.options)
      .then(task.resolve, task.reject)
      .finally(() => {
        unwatch();
        this.#release(worker);
      });
  }

  #release(worker: WorkerProcess<Job, Output>): void {
    // A worker that is going is no longer counted, so that the next job does not wait for its end.
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

  /** Short jobs are over before their memory is looked at; several of them have one look together. */
  #watchResting(worker: WorkerProcess<Job, Output>): void {
    if (this.#resting.has(worker)) return;
    this.#resting.add(worker);
    const look = async () => {
      this.#resting.delete(worker);
      if (!(await this.#isLarge(worker))) return;
      const index = this.#idle.indexOf(worker);
      if (index < 0) return;
      this.#idle.splice(index, 1);
      this.#retire(worker);
      // The next job finds one that has started.
      if (!this.#closed) this.warm().catch(() => undefined);
    };
    setTimeout(look, REST_MS).unref();
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
