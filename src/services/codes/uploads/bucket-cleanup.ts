/**
 * Removes expired uploads from S3. Their ids are ordered by time, so the expired ones are the first of a listing. Every
 * process that uses the bucket may do this at any time: a removal can be repeated. The clock of the bucket decides, not that
 * of the process, whose error would cost the uploads of all processes.
 */
import type { Logger } from '../../../platform/observe/log.js';
import type { BucketBlobs } from '../../../storage/blobs/bucket.js';
import { DRAFTS_DEAD_MS } from '../../../storage/blobs/local-drafts.js';
import { ClockGuard } from '../../../storage/data/clock-guard.js';
import { firstMediaIdAt } from './media-id.js';
import { Unremoved } from './unremoved.js';

/** Ids further ahead were created while the clock was wrong. */
const CLOCK_TOLERANCE_MS = 60 * 1000;
/** Longer than any upload takes. */
const ABANDONED_MS = 24 * 3600 * 1000;

export class BucketCleanup {
  readonly #blobs: BucketBlobs;
  readonly #expiryMs: number;
  readonly #log: Logger;
  /** For local files, which have no other clock. */
  readonly #clock: ClockGuard;
  readonly unremoved: Unremoved;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(blobs: BucketBlobs, expirySeconds: number, log: Logger) {
    this.#blobs = blobs;
    this.#expiryMs = expirySeconds * 1000;
    this.#log = log;
    this.unremoved = new Unremoved(log);
    this.#clock = new ClockGuard(DRAFTS_DEAD_MS, log);
  }

  /** Runs a clean-up now and at every interval. With an interval of 0 expired uploads are not removed. */
  async start(intervalSeconds: number): Promise<void> {
    if (intervalSeconds === 0) return;
    const run = () => {
      this.#running ??= this.run()
        .catch((error: unknown) => this.#log.error({ err: error }, 'clean-up failed'))
        .finally(() => {
          this.#running = undefined;
        });
    };
    this.#timer = setInterval(run, intervalSeconds * 1000).unref();
    run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async run(): Promise<void> {
    // Living processes touch their files meanwhile.
    const isLocalRight = this.#clock.mayExpire();
    const files = isLocalRight ? await this.#blobs.removeDead(Date.now() - DRAFTS_DEAD_MS) : 0;
    const now = await this.#blobs.now();
    const before = now - this.#expiryMs;
    // The id is from the beginning of an upload. The last change of its objects is when the upload was complete.
    const keep = () => false;
    this.unremoved.begin();
    const onUnremoved = this.unremoved.add;
    const late = await this.#blobs.removeStrays(keep, before, {
      to: firstMediaIdAt(before),
      onUnremoved,
    });
    const ahead = await this.#blobs.removeStrays(keep, before, {
      from: firstMediaIdAt(now + CLOCK_TOLERANCE_MS),
      onUnremoved,
    });
    this.unremoved.report();
    const drafts = await this.#blobs.removeDrafts(now - ABANDONED_MS);
    const expired = late + ahead;
    if (expired + drafts + files > 0) this.#log.info({ expired, drafts, files }, 'cleaned up');
  }
}
