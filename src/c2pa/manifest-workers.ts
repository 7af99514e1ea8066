/**
 * Worker processes that read Manifest Stores of strangers, shared by all services of this process. A store that crashes its
 * reader, or takes too much time or memory, costs its own request. Design: docs/design/worker-pool.md.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { addonFile, type ManifestReport, type NativeError, type NativeErrorCode } from '../native.js';
import { PoolBusy, WorkerPool } from '../platform/workers/pool.js';
import { JobFailed, type PoolLimits, WorkerLost } from '../platform/workers/worker-process.js';
import type { ManifestJob, ManifestTask, TaskResult, ValidatorTexts } from './manifest-jobs.js';

/** Tasks in one message, and their bytes. A larger task travels alone. */
const BATCH_TASKS_MAX = 8;
const BATCH_BYTES_MAX = 4 * 1024 ** 2;
/** Above the time limit of the addon, 5 s, within which a reader stops by itself. */
const TASK_MS_MAX = 15_000;

const LIMITS: PoolLimits = {
  workersMax: availableParallelism(),
  queuedJobsMax: 2 * availableParallelism(),
  jobDurationMaxMs: TASK_MS_MAX,
  workerRssMaxBytes: 1024 ** 3,
  poolRssMaxBytes: availableParallelism() * 1024 ** 3,
  restingRssMaxBytes: 256 * 1024 ** 2,
  jobsPerWorkerMax: 100_000,
};

/** The bytes have ended their reader, or would have. */
export class ReaderLost extends Error {
  override readonly name = 'ReaderLost';
}

export type TaskOutput = ManifestReport | string | null;

interface Waiting {
  readonly task: ManifestTask;
  readonly texts: ValidatorTexts | undefined;
  readonly resolve: (output: TaskOutput) => void;
  readonly reject: (error: unknown) => void;
  /** The worker lacks the validator. */
  needsTexts: boolean;
  /** Ended a process together with others: which of them is the cause? */
  isSuspect: boolean;
}

export class ManifestWorkers {
  readonly #pool: WorkerPool<ManifestJob, readonly TaskResult[]>;
  readonly #workersMax: number;
  readonly #taskMsMax: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(entry = workerEntry(), limits: Partial<PoolLimits> = {}) {
    const all = { ...LIMITS, ...limits };
    // Manifests come with the messages.
    const rules = () => ({ read: [], open: [], write: [] });
    this.#pool = new WorkerPool(entry, all, { addon: addonFile, rules });
    this.#workersMax = all.workersMax;
    this.#taskMsMax = all.jobDurationMaxMs;
  }

  /** Starts a worker before the first task arrives. */
  async warm(): Promise<void> {
    await this.#pool.warm();
  }

  /** `on`, or what is missing and why; `not started`. */
  get sandbox(): string {
    return this.#pool.sandbox;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /**
   * The addon's result for one task.
   *
   * @param texts of the validator that the task names
   * @throws {ReaderLost} {@link NativeError} with the code of the addon; `BUSY` also if the processes were killed from outside
   */
  run(task: ManifestTask, texts?: ValidatorTexts): Promise<TaskOutput> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, texts, resolve, reject, needsTexts: false, isSuspect: false });
      this.#startNext();
    });
  }

  #startNext(): void {
    while (this.#waiting.length > 0 && this.#running < this.#workersMax) {
      const batch = this.#takeBatch();
      this.#running += 1;
      void this.#runBatch(batch).finally(() => {
        this.#running -= 1;
        this.#startNext();
      });
    }
  }

  /** An equal part of the waiting tasks for each free worker. */
  #takeBatch(): Waiting[] {
    const share = Math.ceil(this.#waiting.length / (this.#workersMax - this.#running));
    const batch: Waiting[] = [];
    let bytes = 0;
    for (const next of this.#waiting) {
      bytes += next.task.bytes.byteLength;
      const isFull = batch.length === Math.min(share, BATCH_TASKS_MAX) || bytes > BATCH_BYTES_MAX;
      if (batch.length > 0 && (isFull || next.isSuspect)) break;
      batch.push(next);
      if (next.isSuspect) break;
    }
    this.#waiting.splice(0, batch.length);
    return batch;
  }

  async #runBatch(batch: readonly Waiting[]): Promise<void> {
    const texts: Record<string, ValidatorTexts> = {};
    for (const { task, needsTexts, texts: known } of batch)
      if (needsTexts && known !== undefined && 'validator' in task) texts[task.validator] = known;
    const isAlone = batch.length === 1;
    try {
      const job = { tasks: batch.map(({ task }) => task), texts };
      const options = { durationMaxMs: batch.length * this.#taskMsMax, repeatable: isAlone };
      const results = await this.#pool.run(job, options);
      for (const [at, waiting] of batch.entries()) this.#settle(waiting, results[at]);
    } catch (error) {
      if (isAlone || !(error instanceof WorkerLost)) {
        for (const { reject } of batch) reject(errorOf(error));
        return;
      }
      for (const waiting of batch) waiting.isSuspect = true;
      this.#waiting.unshift(...batch);
    }
  }

  #settle(waiting: Waiting, result: TaskResult | undefined): void {
    switch (result?.kind) {
      case 'report':
        waiting.resolve(result.report);
        break;
      case 'text':
        waiting.resolve(result.text);
        break;
      case 'failed':
        waiting.reject(nativeError(result.code, result.message));
        break;
      case 'validator-unknown':
        waiting.needsTexts = true;
        this.#waiting.unshift(waiting);
        break;
      case undefined:
        waiting.reject(new Error('a reader of manifests returned too few results'));
        break;
      default:
        result satisfies never;
    }
  }
}

/** The sandbox of a process that is started for this question: `on`, or what is missing and why. */
export async function triedSandbox(): Promise<string> {
  const workers = new ManifestWorkers();
  try {
    // A task keeps this process alive until the other one responds.
    await workers.run({ kind: 'describe', bytes: new Uint8Array() });
    return workers.sandbox;
  } finally {
    await workers.close();
  }
}

/** What the caller learns of a job that did not end with results. */
function errorOf(error: unknown): unknown {
  if (error instanceof PoolBusy) return nativeError('BUSY', error.message);
  if (error instanceof JobFailed) return nativeError('INTERNAL', error.message);
  if (!(error instanceof WorkerLost)) return error;
  if (error.reason === 'took too long') return nativeError('TIMEOUT', error.message);
  const isCause = error.reason === 'needed too much memory' || error.crashedInJob;
  return isCause ? new ReaderLost(error.message, { cause: error }) : nativeError('BUSY', error.message);
}

export function nativeError(code: NativeErrorCode, message: string): NativeError {
  return Object.assign(new Error(message), { code });
}

/** Node.js runs the built script, also when a test runs the sources. */
function workerEntry(): string {
  const entry = fileURLToPath(new URL('./manifest-worker.js', import.meta.url));
  return entry.replace(/([\\/])src([\\/]c2pa[\\/]manifest-worker\.js)$/, '$1dist$2');
}
