/**
 * The workers of `isccd serve --workers`, seen from their primary process: starts them, replaces those that end, and merges
 * their metrics. The primary process has no service itself.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '../../compose/service-names.js';
import { counter, level } from '../../platform/observe/instruments.js';
import { createLogger } from '../../platform/observe/log.js';
import {
  type Exposition,
  Metrics,
  type MetricValues,
  mergedExposition,
} from '../../platform/observe/metrics.js';
import { CommandFailed } from '../terminal/failure.js';
import { type FromWorker, type Listening, Replies, type ToWorker } from './messages.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const METRICS_MS_MAX = 2_000;
/** Pause before a worker is replaced: doubles up to the maximum with each end soon after a start. */
const RESTART_MS = 1_000;
const RESTART_MS_MAX = 30_000;
/** A worker that ran for so long had a good start. */
const GOOD_MS = 60_000;

/** A place for a worker. */
interface Slot {
  /** From 1. */
  readonly number: number;
  worker: Worker | undefined;
  /** Until the worker listens. A signal would end a process that has not loaded its program. */
  isStarting: boolean;
  /** Whether the worker is to read the files of its configuration again once it listens. */
  mustReload: boolean;
  /** Ends in a row soon after a start. */
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

export class WorkerPool {
  readonly #names: readonly ServiceName[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #slots: readonly Slot[];
  readonly #log = createLogger('warn');
  readonly #values = new Replies<MetricValues>();
  readonly #metrics = new Metrics();
  readonly #ends = counter('isccd_worker_ends_total', 'Workers that ended and were replaced', ['worker']);
  #hasStarted = false;
  #isStopping = false;

  /** @param environment variables of the workers, over those of this process */
  constructor(names: readonly ServiceName[], count: number, environment: Readonly<Record<string, string>>) {
    this.#names = names;
    this.#environment = environment;
    this.#slots = Array.from({ length: count }, (_, at) => {
      const number = at + 1;
      return {
        number,
        worker: undefined,
        isStarting: false,
        mustReload: false,
        failures: 0,
        timer: undefined,
      };
    });
    const running = () => this.#workers().length;
    this.#metrics.register([
      this.#ends,
      level('isccd_workers', 'Worker processes that run, started by isccd serve --workers', running),
    ]);
  }

  /**
   * Starts all workers and resolves when each of them listens.
   *
   * @throws {CommandFailed} after the other workers have ended
   */
  async start(): Promise<readonly Listening[]> {
    try {
      const [first = []] = await Promise.all(this.#slots.map((slot) => this.#spawn(slot)));
      this.#hasStarted = true;
      return first;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Lets running requests finish. Resolves to whether all workers ended as they should. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    for (const { timer } of this.#slots) clearTimeout(timer);
    const ended = this.#workers().map(async (worker) => {
      const exit = once(worker, 'exit');
      worker.process.kill('SIGTERM');
      return (await exit)[0] === 0;
    });
    return (await Promise.all(ended)).every(Boolean);
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#isStopping = true;
    for (const worker of this.#workers()) worker.process.kill('SIGKILL');
  }

  /** Lets all workers read the files of their configuration again, those that start after their start. */
  reload(): void {
    for (const slot of this.#slots) {
      if (slot.isStarting) slot.mustReload = true;
      else slot.worker?.process.kill('SIGHUP');
    }
  }

  /** The metrics of all workers and of this process. A worker that does not respond in time is left out. */
  async exposition(): Promise<Exposition> {
    const values = this.#workers().map((worker) => {
      const ask = (id: number) => send(worker, { type: 'read-metrics', id });
      return this.#values.ask(ask, METRICS_MS_MAX, []);
    });
    return mergedExposition([await this.#metrics.values(), ...(await Promise.all(values))]);
  }

  #workers(): Worker[] {
    return this.#slots.flatMap(({ worker }) => worker ?? []);
  }

  /** Resolves when the worker listens; rejects if it ends before. */
  #spawn(slot: Slot): Promise<readonly Listening[]> {
    const args = [String(slot.number), ...this.#names];
    cluster.setupPrimary({ exec: WORKER, args, serialization: 'advanced' });
    const worker = cluster.fork(this.#environment);
    const startedMs = performance.now();
    slot.worker = worker;
    slot.isStarting = true;
    slot.mustReload = false;
    return new Promise((resolve, reject) => {
      let failure: CommandFailed | undefined;
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'started') {
          slot.isStarting = false;
          if (slot.mustReload) worker.process.kill('SIGHUP');
          resolve(message.services);
        } else if (message.type === 'failed') failure = new CommandFailed(message.message, message.status);
        else this.#receive(worker, message);
      });
      const ended = (end: string) => {
        if (slot.worker !== worker) return;
        slot.worker = undefined;
        reject(failure ?? new CommandFailed(`worker ${slot.number} ended while it started (${end})`));
        if (this.#hasStarted && !this.#isStopping)
          this.#replace(slot, failure?.message ?? end, performance.now() - startedMs);
      };
      worker.once('exit', (status: number | null, signal: string | null) =>
        ended(signal ?? `status ${status}`),
      );
      // A message to a worker that is about to be known as dead, or a process that could not be started.
      worker.on('error', (error) => {
        this.#log.warn({ worker: slot.number, err: error }, 'a worker can not be reached');
        if (worker.process.pid === undefined) ended(error.message);
      });
    });
  }

  #receive(worker: Worker, message: Extract<FromWorker, { readonly id: number }>): void {
    if (message.type === 'metrics') {
      this.#values.settle(message.id, message.values);
      return;
    }
    this.exposition().then(
      (exposition) => send(worker, { type: 'gathered', id: message.id, exposition }),
      (error: unknown) => this.#log.error({ err: error }, 'the metrics can not be merged'),
    );
  }

  #replace(slot: Slot, reason: string, ranMs: number): void {
    slot.failures = ranMs < GOOD_MS ? slot.failures + 1 : 1;
    const pauseMs = Math.min(RESTART_MS * 2 ** (slot.failures - 1), RESTART_MS_MAX);
    this.#ends.inc({ worker: String(slot.number) });
    this.#log.error({ worker: slot.number, reason, pauseMs }, 'a worker ended; it is replaced after a pause');
    slot.timer = setTimeout(() => {
      this.#spawn(slot).then(
        () => this.#log.warn({ worker: slot.number }, 'a worker was replaced'),
        // Its end has been handled.
        () => undefined,
      );
    }, pauseMs);
  }
}

function send(worker: Worker, message: ToWorker): void {
  // A worker that has just ended gets nothing: its end is handled elsewhere.
  if (worker.isConnected()) worker.send(message, () => {});
}
