/** One child process that does one job at a time, watched for time and memory. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { Details, ErrorCode } from '../errors.js';
import type { PoolLimits, RunOptions } from './pool.js';
import type { StepChange } from './stopwatch.js';

export type Unwatch = () => void;

/** What a worker sends: once that it is there, then for each job its steps, if they are watched, and one answer. */
export type WorkerMessage<Output> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'step'; readonly step: StepChange }
  | { readonly kind: 'done'; readonly output: Output }
  | { readonly kind: 'failed'; readonly message: string; readonly refusal?: Refusal };

/** Why a job can't be done, where the client is to know. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly details: Details;
}

export type LossReason = 'crashed' | 'took too long' | 'needed too much memory' | EndReason;
type EndReason = 'cancelled' | 'closed' | 'retired';

/** The job can't be done; the worker goes on. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
  readonly refusal: Refusal | undefined;

  constructor(message: string, refusal?: Refusal) {
    super(message);
    this.refusal = refusal;
  }
}

/** The worker is gone, and the job with it. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
  readonly reason: LossReason;
  /** Whether it was there at all: if not, the fault is not the job's. */
  readonly started: boolean;

  constructor(reason: LossReason, started: boolean) {
    super(started ? `the worker ${reason}` : `the worker ${reason} before it could start`);
    this.reason = reason;
    this.started = started;
  }
}

const WATCH_INTERVAL_MS = 100;
const STDERR_MAX_BYTES = 4096;

interface Pending<Output> {
  readonly onStep: ((step: StepChange) => void) | undefined;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: Error) => void;
}

export class WorkerProcess<Job, Output> {
  /** Resolves when the worker can take jobs, rejects when it never will. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  alive = true;
  jobsDone = 0;
  /** Whether it was seen with more memory than it may keep, in its last job. */
  wasLarge = false;
  readonly #child: ChildProcess;
  readonly #limits: PoolLimits;
  #started = false;
  #loss: LossReason = 'crashed';
  #pending: Pending<Output> | undefined;
  #stderr = '';

  constructor(entry: string, limits: PoolLimits) {
    this.#limits = limits;
    // Its own process group, so that programs it has started end with it.
    this.#child = fork(entry, [], {
      serialization: 'advanced',
      // Nothing is ever written to its standard input: its end tells the worker that this process is gone.
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
    });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = (this.#stderr + data.toString()).slice(-STDERR_MAX_BYTES);
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', () => resolve(this.#exit()));
      this.#child.once('error', () => resolve(this.#exit()));
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message) => this.#receive(message as WorkerMessage<Output>, resolve));
      void this.exited.then(() => reject(this.#lost()));
    });
    // Nobody needs to wait for it: a job that was sent is rejected on its own.
    this.ready.catch(() => undefined);
    // An idle worker must not keep the process alive that started it.
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stdin as Socket | null)?.unref();
    (this.#child.stderr as Socket | null)?.unref();
  }

  run(job: Job, { extraMs = 0, onStep }: Omit<RunOptions, 'signal'> = {}): Promise<Output> {
    this.wasLarge = false;
    return new Promise<Output>((resolve, reject) => {
      this.#pending = { resolve, reject, onStep };
      this.#child.channel?.ref();
      if (!this.alive) return this.#settle((pending) => pending.reject(this.#lost()));
      // A failed send is followed by the exit event, which rejects.
      this.#child.send(job as object, () => undefined);
    }).finally(this.#watch(extraMs));
  }

  /** Ends the process with everything it started. */
  async kill(reason: LossReason): Promise<void> {
    if (this.alive) {
      this.alive = false;
      this.#loss = reason;
      this.#signal();
    }
    // Its end is waited for, so now it does keep this process alive.
    this.#child.ref();
    await this.exited;
  }

  #receive(message: WorkerMessage<Output>, ready: () => void): void {
    switch (message.kind) {
      case 'ready':
        this.#started = true;
        ready();
        break;
      case 'step':
        this.#pending?.onStep?.(message.step);
        break;
      case 'done':
        this.#settle((pending) => pending.resolve(message.output));
        break;
      case 'failed':
        this.#settle((pending) => pending.reject(new JobFailed(message.message, message.refusal)));
        break;
      default:
        message satisfies never;
    }
  }

  #settle(act: (pending: Pending<Output>) => void): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.jobsDone += 1;
    this.#child.channel?.unref();
    if (pending) act(pending);
  }

  #watch(extraMs: number): Unwatch {
    const deadline = setTimeout(() => this.kill('took too long'), this.#limits.jobDurationMaxMs + extraMs);
    const memory = setInterval(() => this.#checkMemory(), WATCH_INTERVAL_MS);
    return () => {
      clearTimeout(deadline);
      clearInterval(memory);
    };
  }

  async #checkMemory(): Promise<void> {
    const rss = await this.residentBytes();
    this.wasLarge = rss > this.#limits.restingRssMaxBytes;
    if (rss > this.#limits.workerRssMaxBytes) await this.kill('needed too much memory');
  }

  /** Where the system tells (Linux), else 0. */
  residentBytes(): Promise<number> {
    return residentBytes(this.#child.pid);
  }

  #exit(): void {
    this.alive = false;
    // Programs that it had started may still run.
    this.#signal();
    if (this.#pending) this.#settle((pending) => pending.reject(this.#lost()));
  }

  #lost(): WorkerLost {
    const lost = new WorkerLost(this.#loss, this.#started);
    if (this.#loss === 'crashed' && this.#stderr !== '') lost.cause = this.#stderr;
    return lost;
  }

  #signal(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself in the meantime.
    }
  }
}

/** Resident memory of a process where the system tells (Linux), else 0. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
