/**
 * Processing that goes on after its request was answered (`Prefer: respond-async`). A job runs in the process that received
 * the request; with Redis, all instances know it. A restart forgets jobs, and what they have stored expires like every
 * upload. Only the client that started a job can see it.
 */
import { randomBytes } from 'node:crypto';
import { describedError } from '../error-form.js';
import { CodesRefusal, Unavailable } from '../errors.js';
import type { StepChange } from '../pipeline/stopwatch.js';
import type { MediaId } from '../uploads/media-id.js';
import { type JobEnd, type Progress, ProgressBoard, type ProgressPort } from './progress.js';

/** What a job does: reports its steps, stops when the signal aborts, and resolves to the stored upload. */
export type Work = (onChange: (change: StepChange) => void, signal: AbortSignal) => Promise<MediaId>;

export interface JobView extends Progress {
  readonly id: string;
}

interface Running {
  readonly controller: AbortController;
  readonly settled: Promise<void>;
}

/** Of a job that is about to start, or runs. */
export interface Place {
  /** Frees the place; the second call does nothing. */
  release(): void;
}

/** Jobs that receive their file, run or wait for a worker. Each holds a file on disk. */
const RUNNING_MAX = 1000;
/** Part of the places that one client may take, as in the queue of the workers. */
const CLIENT_SHARE = 3 / 4;
const ID_BYTES = 16;

/** Called with an error of a job that is a fault of the service, and the job's id. */
export type OnFault = (error: unknown, id: string) => void;

export class JobBoard {
  readonly #progress: ProgressPort;
  readonly #onFault: OnFault;
  readonly #running = new Map<string, Running>();
  #taken = 0;
  /** Places by client; clients without any are absent. */
  readonly #byClient = new Map<string, number>();

  /** @param progress of jobs only; default: that of this process */
  constructor(progress: ProgressPort = new ProgressBoard(), onFault: OnFault = () => {}) {
    [this.#progress, this.#onFault] = [progress, onFault];
  }

  /**
   * A place for a job; the caller releases it if no job starts.
   *
   * @param client whose job it is
   * @throws {Unavailable} if all are taken, or the client has its part of them
   */
  reserve(client: string): Place {
    const ofClient = this.#byClient.get(client) ?? 0;
    if (this.#taken >= RUNNING_MAX || ofClient >= CLIENT_SHARE * RUNNING_MAX) throw new Unavailable();
    this.#count(client, 1);
    let isTaken = true;
    return {
      release: () => {
        if (isTaken) this.#count(client, -1);
        isTaken = false;
      },
    };
  }

  #count(client: string, change: 1 | -1): void {
    this.#taken += change;
    const ofClient = (this.#byClient.get(client) ?? 0) + change;
    if (ofClient === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, ofClient);
  }

  /** Starts work, which releases the place at its end. Resolves to the id of its job once all instances can find it. */
  async start(place: Place, uploader: string, work: Work): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('hex');
    const controller = new AbortController();
    const stop = () => controller.abort(new Error('the job was cancelled'));
    const job = this.#progress.begin(uploader, id, stop);
    const settled = work(job.change, controller.signal)
      .then(
        (mediaId): JobEnd => ({ state: 'done', mediaId }),
        (error: unknown): JobEnd =>
          controller.signal.aborted ? { state: 'cancelled' } : this.#failed(error, id),
      )
      .then((end) => {
        this.#running.delete(id);
        place.release();
        job.end(end);
      });
    this.#running.set(id, { controller, settled });
    await job.shared;
    return id;
  }

  /** The job once it has more than `seen` changes, or as it is after some seconds. */
  async next(uploader: string, id: string, seen: number, signal: AbortSignal): Promise<JobView> {
    const now = await this.#found(uploader, id);
    if (now.changes > seen || now.done) return { ...now, id };
    return { ...(await this.#progress.next(uploader, id, seen, signal)), id };
  }

  /** The job as it is. */
  async now(uploader: string, id: string): Promise<JobView> {
    return { ...(await this.#found(uploader, id)), id };
  }

  /** Stops a job and forgets it. Resolves when its worker is free. What it has stored is kept. */
  async cancel(uploader: string, id: string): Promise<void> {
    await this.#found(uploader, id);
    await this.#progress.cancel(uploader, id);
  }

  /** Stops all jobs of this process. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const { controller } of all) controller.abort(new Error('the service stops'));
    await Promise.all(all.map(({ settled }) => settled));
  }

  async #found(uploader: string, id: string): Promise<Progress> {
    const found = await this.#progress.find(uploader, id);
    if (found === undefined) throw new CodesRefusal('JOB_NOT_FOUND');
    return found;
  }

  #failed(thrown: unknown, id: string): JobEnd {
    const error = describedError(thrown);
    if (error.status === 500) this.#onFault(thrown, id);
    return { state: 'failed', error };
  }
}
