/**
 * Processing that goes on after its request was answered (`Prefer: respond-async`). Jobs are in memory: a restart
 * forgets them, and what they have stored expires like every upload. Only the client that started a job can see it.
 */
import { randomBytes } from 'node:crypto';
import { CodesRefusal, Unavailable } from './errors.js';
import type { MediaId } from './media-id.js';
import type { StepChange } from './pipeline/stopwatch.js';
import { type Progress, ProgressBoard } from './progress.js';

/** What a job does: reports its steps, stops when the signal aborts, and resolves to the stored upload. */
export type Work = (onChange: (change: StepChange) => void, signal: AbortSignal) => Promise<MediaId>;

export type JobEnd =
  | { readonly state: 'done'; readonly mediaId: MediaId }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'cancelled' };

export interface JobView extends Progress {
  readonly id: string;
  /** Absent while the job runs. */
  readonly end?: JobEnd;
}

interface Entry {
  readonly uploader: string;
  readonly controller: AbortController;
  readonly settled: Promise<void>;
  end?: JobEnd;
}

/** Jobs that run or wait for a worker. Each holds a file on disk. */
const RUNNING_MAX = 1000;
const ENDED_KEPT_MAX = 1000;
const ID_BYTES = 16;

export class JobBoard {
  readonly #progress = new ProgressBoard();
  readonly #jobs = new Map<string, Entry>();
  /** Ids of ended jobs, oldest first. */
  readonly #ended: string[] = [];
  #running = 0;

  /** @throws {Unavailable} if there is no place for another job */
  reserve(): void {
    if (this.#running >= RUNNING_MAX) throw new Unavailable();
  }

  /** Starts work and returns the id of its job. */
  start(uploader: string, work: Work): string {
    const id = randomBytes(ID_BYTES).toString('hex');
    const job = this.#progress.begin(uploader, id);
    const controller = new AbortController();
    this.#running += 1;
    const settled = work(job.change, controller.signal)
      .then(
        (mediaId): JobEnd => ({ state: 'done', mediaId }),
        (error: unknown): JobEnd =>
          controller.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error },
      )
      .then((end) => {
        entry.end = end;
        this.#running -= 1;
        this.#evictEnded(id);
        job.end();
      });
    const entry: Entry = { uploader, controller, settled };
    this.#jobs.set(id, entry);
    return id;
  }

  /** The job once it has more than `seen` changes, or as it is after some seconds. */
  async next(uploader: string, id: string, seen: number, signal: AbortSignal): Promise<JobView> {
    const entry = this.#own(uploader, id);
    const progress = await this.#progress.next(uploader, id, seen, signal);
    return { ...progress, id, ...(entry.end && { end: entry.end }) };
  }

  /** The job as it is. */
  now(uploader: string, id: string): Promise<JobView> {
    return this.next(uploader, id, -1, AbortSignal.abort());
  }

  /** Stops a job and forgets it. Resolves when its worker is free. What it has stored is kept. */
  async cancel(uploader: string, id: string): Promise<void> {
    const { controller, settled } = this.#own(uploader, id);
    controller.abort(new Error('the job was cancelled'));
    await settled;
    this.#jobs.delete(id);
  }

  /** Stops all jobs. */
  async close(): Promise<void> {
    const all = [...this.#jobs.values()];
    for (const { controller } of all) controller.abort(new Error('the service stops'));
    await Promise.all(all.map(({ settled }) => settled));
  }

  #own(uploader: string, id: string): Entry {
    const entry = this.#jobs.get(id);
    if (entry === undefined || entry.uploader !== uploader) throw new CodesRefusal('JOB_NOT_FOUND');
    return entry;
  }

  #evictEnded(id: string): void {
    const oldest = this.#ended.push(id) > ENDED_KEPT_MAX ? this.#ended.shift() : undefined;
    if (oldest !== undefined) this.#jobs.delete(oldest);
  }
}
