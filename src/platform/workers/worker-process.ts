/** A child process that runs one job at a time under time and memory limits. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { NO_MEMORY } from './no-memory.js';
import type { SandboxedStart, SandboxState } from './sandbox.js';

export type Unwatch = () => void;

/** Messages from a worker: `ready` once, then per job its steps, if watched, and one result. */
export type WorkerMessage<Output, Step = never> =
  | { readonly kind: 'ready'; readonly sandbox?: SandboxState | null }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'done'; readonly output: Output }
  /** `refusal`: what the client learns, in a form that the job's sender knows. */
  | { readonly kind: 'failed'; readonly message: string; readonly refusal?: unknown };

/** `memory is short`: all workers together had too much, and this one the most. */
export type LossReason =
  | 'crashed'
  | 'took too long'
  | 'needed too much memory'
  | 'memory is short'
  | EndReason;
type EndReason = 'cancelled' | 'closed' | 'retired';

/** The job failed; the worker continues. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
  readonly refusal: unknown;

  constructor(message: string, refusal?: unknown) {
    super(message);
    this.refusal = refusal;
  }
}

/** The worker ended before the job did. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
  readonly reason: LossReason;
  /** Whether the worker was ready. If not, the job is not the cause. */
  readonly started: boolean;
  /** Whether the worker crashed by itself during the job, and was not killed from outside. */
  readonly crashedInJob: boolean;

  constructor(reason: LossReason, started: boolean, wasKilled = false) {
    super(started ? `the worker ${reason}` : `the worker ${reason} before it could start`);
    this.reason = reason;
    this.started = started;
    this.crashedInJob = reason === 'crashed' && started && !wasKilled;
  }
}

/** Signals sent by operators, supervisors and the kernel's OOM killer. Crashes have other signals, or none. */
const KILL_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);

const WATCH_INTERVAL_MS = 100;
const STDERR_MAX_BYTES = 4096;
/** Programs that the worker started may keep its standard error open. */
const LAST_WORDS_MS_MAX = 1_000;
/** Memory that a worker may reserve without using it, such as stacks of threads. */
const UNUSED_MAX_BYTES = 1024 ** 3;

export interface WorkerOptions {
  /** How to start it in the sandbox, if there is one. */
  readonly start: SandboxedStart | undefined;
  /** Called after each check of `rssBytes`. */
  readonly onMemory: () => void;
}

interface Pending<Output, Step> {
  readonly onStep: ((step: Step) => void) | undefined;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: Error) => void;
}

export class WorkerProcess<Job, Output, Step = never> {
  /** Resolves when the worker can accept jobs; rejects if it ends before. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  alive = true;
  jobsDone = 0;
  /** Whether its memory exceeded `restingRssMaxBytes` during the last job. */
  wasLarge = false;
  /** What the worker reported when it was ready. */
  sandbox: SandboxState | null = null;
  /** Resident memory at the last check. */
  rssBytes = 0;
  readonly #child: ChildProcess;
  readonly #limits: PoolLimits;
  readonly #onMemory: () => void;
  #started = false;
  #loss: LossReason = 'crashed';
  #pending: Pending<Output, Step> | undefined;
  #wasKilled = false;
  #stderr = '';

  constructor(entry: string, limits: PoolLimits, { start, onMemory }: WorkerOptions) {
    this.#limits = limits;
    this.#onMemory = onMemory;
    // A process group of its own, so that programs started by the worker are killed with it.
    const memoryMax = limits.workerRssMaxBytes + UNUSED_MAX_BYTES;
    this.#child = fork(entry, [String(memoryMax)], {
      serialization: 'advanced',
      // Standard input is never written. Its end signals the end of this process to the worker.
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
      ...start,
    });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = (this.#stderr + data.toString()).slice(-STDERR_MAX_BYTES);
    });
    this.exited = this.#exit();
    this.ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message) => this.#receive(message as WorkerMessage<Output, Step>, resolve));
      void this.exited.then(() => reject(this.#lost()));
    });
    // Not awaited by all callers: jobs are rejected separately.
    this.ready.catch(() => undefined);
    // An idle worker must not keep this process alive.
    this.#child.unref();
    this.#releaseChannel();
    (this.#child.stdin as Socket | null)?.unref();
    (this.#child.stderr as Socket | null)?.unref();
  }

  run(job: Job, { durationMaxMs, onStep }: Omit<RunOptions<Step>, 'signal'> = {}): Promise<Output> {
    this.wasLarge = false;
    return new Promise<Output>((resolve, reject) => {
      this.#pending = { resolve, reject, onStep };
      this.#holdChannel();
      if (!this.alive) return this.#settle((pending) => pending.reject(this.#lost()));
      // A failed send is followed by the exit event, which rejects the job.
      this.#child.send(job as object, () => undefined);
    }).finally(this.#watch(durationMaxMs));
  }

  /** Kills the worker and all programs it started. */
  async kill(reason: LossReason): Promise<void> {
    if (this.alive) {
      this.alive = false;
      this.#loss = reason;
      this.#signal();
    }
    // Keep this process alive until the worker has ended.
    this.#child.ref();
    await this.exited;
  }

  #receive(message: WorkerMessage<Output, Step>, ready: () => void): void {
    switch (message.kind) {
      case 'ready':
        this.#started = true;
        this.sandbox = message.sandbox ?? null;
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

  #settle(act: (pending: Pending<Output, Step>) => void): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.jobsDone += 1;
    this.#releaseChannel();
    if (pending) act(pending);
  }

  // The channel of Bun has neither method.
  #holdChannel(): void {
    this.#child.channel?.ref?.();
  }

  #releaseChannel(): void {
    this.#child.channel?.unref?.();
  }

  #watch(durationMaxMs = this.#limits.jobDurationMaxMs): Unwatch {
    const deadline = setTimeout(() => this.kill('took too long'), durationMaxMs);
    const memory = setInterval(() => this.#checkMemory(), WATCH_INTERVAL_MS);
    return () => {
      clearTimeout(deadline);
      clearInterval(memory);
    };
  }

  async #checkMemory(): Promise<void> {
    const rss = await this.residentBytes();
    this.wasLarge = rss > this.#limits.restingRssMaxBytes;
    if (rss > this.#limits.workerRssMaxBytes) return this.kill('needed too much memory');
    this.#onMemory();
  }

  /** Resident memory on Linux, 0 elsewhere. */
  async residentBytes(): Promise<number> {
    this.rssBytes = await residentBytes(this.#child.pid);
    return this.rssBytes;
  }

  /** Resolves when the process has ended and its last words are read. */
  #exit(): Promise<void> {
    const child = this.#child;
    return new Promise((resolve) => {
      const end = () => resolve(this.#onExit());
      child.once('exit', (_, signal) => {
        this.alive = false;
        this.#wasKilled = signal !== null && KILL_SIGNALS.has(signal);
        // Programs started by the worker may still be running.
        this.#signal();
        const late = setTimeout(end, LAST_WORDS_MS_MAX);
        child.once('close', () => {
          clearTimeout(late);
          end();
        });
      });
      child.once('error', end);
    });
  }

  #onExit(): void {
    this.alive = false;
    const crashed = this.#loss === 'crashed' && !this.#wasKilled;
    if (crashed && NO_MEMORY.test(this.#stderr)) this.#loss = 'needed too much memory';
    if (this.#pending) this.#settle((pending) => pending.reject(this.#lost()));
  }

  #lost(): WorkerLost {
    const lost = new WorkerLost(this.#loss, this.#started, this.#wasKilled);
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
      // The process group has already ended.
    }
  }
}

/** Resident memory of a process on Linux, 0 elsewhere. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

export interface PoolLimits {
  /** While one client runs more than half of them, other clients get up to half as many in addition. */
  readonly workersMax: number;
  /** Maximum length of the queue, of which one client fills a part. Further jobs are rejected with {@link PoolBusy}. */
  readonly queuedJobsMax: number;
  readonly jobDurationMaxMs: number;
  /** Maximum resident memory of one worker. */
  readonly workerRssMaxBytes: number;
  /** Maximum resident memory of all workers together; above it the largest one is ended. */
  readonly poolRssMaxBytes: number;
  /** A worker with more resident memory than this after a job is replaced. */
  readonly restingRssMaxBytes: number;
  /** A worker is replaced after this many jobs, because libraries leak memory. */
  readonly jobsPerWorkerMax: number;
}

export interface RunOptions<Step = never> {
  /** Whose job it is; clients take turns. `undefined` for jobs of the process itself. */
  readonly client?: string | undefined;
  /** Cancels the job or removes it from the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the pool's time limit. */
  readonly durationMaxMs?: number;
  /** Whether the job may run again if its worker crashes or is killed from outside. */
  readonly repeatable?: boolean;
  /** Called when a step of a watched job begins or ends. */
  readonly onStep?: ((step: Step) => void) | undefined;
}
