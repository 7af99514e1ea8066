/**
 * Pool of worker processes for untrusted files. A crash, hang or excessive memory use only fails the job that caused
 * it; the next job gets a new process. Design: docs/design/worker-pool.md.
 */
import { lazily } from '../lazily.js';
import { FairQueue, type Queued } from './fair-queue.js';
import {
  describedSandbox,
  type FileRules,
  NOT_STARTED,
  type SandboxedStart,
  sandboxedStart,
} from './sandbox.js';
import type { Unwatch } from './worker-process.js';
import { type PoolLimits, type RunOptions, WorkerLost, WorkerProcess } from './worker-process.js';

/** The queue is full or the pool is closed. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy';
}

/** Delay after a job before the memory of an idle worker is checked, so that a busy server never checks. */
const REST_MS = 1000;

interface Task<Job, Output, Step> extends Queued {
  readonly job: Job;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
  readonly options: RunOptions<Step>;
  unwatch: Unwatch;
  isRepeated: boolean;
}

/** What the sandbox of the workers needs. */
export interface Sandbox {
  /** Path of the addon. */
  readonly addon: string;
  /** Called before the first worker starts. */
  readonly rules: () => FileRules;
}

/** `Step`: what a worker reports while a job runs. */
export class WorkerPool<Job, Output, Step = never> {
  readonly #entry: string;
  readonly #limits: PoolLimits;
  readonly #workers = new Set<WorkerProcess<Job, Output, Step>>();
  readonly #idle: WorkerProcess<Job, Output, Step>[] = [];
  /** Workers with a scheduled memory check. */
  readonly #resting = new Set<WorkerProcess<Job, Output, Step>>();
  readonly #queue: FairQueue<Task<Job, Output, Step>>;
  /** The same for all workers; made for the first one. */
  readonly #sandboxed: () => SandboxedStart | undefined;
  #sandbox = NOT_STARTED;
  #closed = false;

  /** @param entry script that each worker runs */
  constructor(entry: string, limits: PoolLimits, { addon, rules }: Sandbox) {
    this.#entry = entry;
    this.#limits = limits;
    this.#sandboxed = lazily(() => sandboxedStart(addon, entry, rules));
    this.#queue = new FairQueue(limits.queuedJobsMax);
  }

  /** Number of jobs that wait for a worker. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Number of jobs in progress. */
  get running(): number {
    return this.#workers.size - this.#idle.length;
  }

  /** What the last worker that became ready has: `on`, or what is missing and why. */
  get sandbox(): string {
    return this.#sandbox;
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
  run(job: Job, options: RunOptions<Step> = {}): Promise<Output> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      if (this.#closed) throw new PoolBusy('the pool is closed');
      const worker = this.#free(options.client);
      const task: Task<Job, Output, Step> = {
        client: options.client,
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
    for (const task of this.#queue.removeAll()) task.reject(new PoolBusy('the pool is closed'));
    await Promise.all([...this.#workers].map((worker) => worker.kill('closed')));
  }

  /** A worker for the next job of a client, if there is one. */
  #free(client: string | undefined): WorkerProcess<Job, Output, Step> | undefined {
    return this.#idle.pop() ?? (this.#mayGrow(client) ? this.#spawn() : undefined);
  }

  #mayGrow(client: string | undefined): boolean {
    const { workersMax } = this.#limits;
    if (this.#workers.size < workersMax) return true;
    return this.#isCrowdedOut(client) && this.#workers.size < workersMax + Math.ceil(workersMax / 2);
  }

  /** Whether a client has no job running because another one occupies the pool. */
  #isCrowdedOut(client: string | undefined): boolean {
    return this.#queue.runningOf(client) === 0 && this.#queue.hasClientAbove(this.#limits.workersMax / 2);
  }

  /** Whether there are more workers than the maximum, and no client that needs them now. */
  #hasSurplus(): boolean {
    if (this.#workers.size <= this.#limits.workersMax) return false;
    const next = this.#queue.peek();
    return next === undefined || !this.#isCrowdedOut(next.client);
  }

  #spawn(): WorkerProcess<Job, Output, Step> {
    const options = { start: this.#sandboxed(), onMemory: () => this.#checkMemory() };
    const worker = new WorkerProcess<Job, Output, Step>(this.#entry, this.#limits, options);
    this.#workers.add(worker);
    const learn = () => {
      this.#sandbox = describedSandbox(worker.sandbox);
    };
    worker.ready.then(learn, () => undefined);
    void worker.exited.then(() => this.#forget(worker));
    return worker;
  }

  #enqueue(task: Task<Job, Output, Step>): void {
    if (!this.#queue.add(task)) throw new PoolBusy('the queue is full');
    task.unwatch = onAbort(task.options.signal, (reason) => {
      this.#queue.remove(task);
      task.reject(reason);
    });
  }

  #start(worker: WorkerProcess<Job, Output, Step>, task: Task<Job, Output, Step>): void {
    task.unwatch();
    this.#queue.count(task, 1);
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
        this.#queue.putBack(task);
      })
      .finally(() => {
        unwatch();
        this.#queue.count(task, -1);
        this.#release(worker);
      });
  }

  #mayRepeat({ options, isRepeated }: Task<Job, Output, Step>, error: unknown): boolean {
    const isCrash = error instanceof WorkerLost && error.reason === 'crashed';
    return isCrash && options.repeatable === true && !isRepeated && !this.#closed;
  }

  #release(worker: WorkerProcess<Job, Output, Step>): void {
    // An ending worker no longer counts, so that the next job does not wait for its exit.
    if (!worker.alive || worker.jobsDone >= this.#limits.jobsPerWorkerMax || this.#hasSurplus()) {
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

  #retire(worker: WorkerProcess<Job, Output, Step>): void {
    this.#workers.delete(worker);
    void worker.kill('retired');
  }

  async #isLarge(worker: WorkerProcess<Job, Output, Step>): Promise<boolean> {
    return (await worker.residentBytes()) > this.#limits.restingRssMaxBytes || !worker.alive;
  }

  /** Schedules one memory check for several short jobs, which end before the periodic check sees them. */
  #watchResting(worker: WorkerProcess<Job, Output, Step>): void {
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

  #startNext(worker: WorkerProcess<Job, Output, Step> | undefined): void {
    const task = this.#closed ? undefined : this.#queue.peek();
    const next = worker ?? (task && this.#free(task.client));
    if (task && next) {
      this.#queue.remove(task);
      this.#start(next, task);
    } else if (next) this.#idle.push(next);
  }

  /** Ends the largest worker if all together have too much memory. Its client may try again. */
  #checkMemory(): void {
    const workers = [...this.#workers].filter(({ alive }) => alive);
    const total = workers.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
    if (total <= this.#limits.poolRssMaxBytes) return;
    const [largest] = workers.sort((a, b) => b.rssBytes - a.rssBytes);
    void largest?.kill('memory is short');
  }

  #forget(worker: WorkerProcess<Job, Output, Step>): void {
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
