/** Removes expired uploads and files that a crash left without a record. */
import type { Logger } from '../../../platform/observe/log.js';
import type { Blobs } from '../../../storage/blobs/port.js';
import { ClockGuard } from '../../../storage/data/clock-guard.js';
import type { MediaId } from './media-id.js';
import type { Records } from './records.js';
import { Unremoved } from './unremoved.js';

/** Younger files without a record may belong to an upload that is about to get one. */
const STRAY_GRACE_MS = 10 * 60 * 1000;
const EXPIRED_PER_ROUND_MAX = 1000;
/** Ids further ahead were created while the clock was wrong. */
const CLOCK_TOLERANCE_MS = 60 * 1000;

export class Cleanup {
  readonly #blobs: Blobs;
  readonly #records: Records;
  readonly #expiryMs: number;
  readonly #log: Logger;
  readonly #clock: ClockGuard;
  readonly unremoved: Unremoved;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: { blobs: Blobs; records: Records; log: Logger }, expirySeconds: number) {
    this.#blobs = parts.blobs;
    this.#records = parts.records;
    this.#log = parts.log;
    this.unremoved = new Unremoved(parts.log);
    this.#expiryMs = expirySeconds * 1000;
    this.#clock = new ClockGuard(this.#expiryMs, parts.log);
  }

  /**
   * Removes all files without a record before the first request, then runs a clean-up at every interval. With an
   * interval of 0 expired uploads are not removed.
   */
  async start(intervalSeconds: number): Promise<void> {
    if (intervalSeconds === 0) return this.#removeLeftovers(Number.POSITIVE_INFINITY, 0);
    await this.#run(Number.POSITIVE_INFINITY);
    this.#timer = setInterval(() => {
      this.#running ??= this.#run(Date.now() - STRAY_GRACE_MS)
        .catch((error: unknown) => this.#log.error({ err: error }, 'clean-up failed'))
        .finally(() => {
          this.#running = undefined;
        });
    }, intervalSeconds * 1000);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(straysBefore: number): Promise<void> {
    this.unremoved.begin();
    const mayExpire = this.#clock.mayExpire();
    const expired = mayExpire ? (await this.#removeExpired()) + (await this.#removeExpiredAhead()) : 0;
    await this.#records.forgetRemoved().catch((error: unknown) => this.unremoved.add('records/keys', error));
    await this.#removeLeftovers(straysBefore, expired);
  }

  async #removeLeftovers(straysBefore: number, expired: number): Promise<void> {
    // Drafts in use are skipped: this process is the only owner of the folder.
    const onUnremoved = this.unremoved.add;
    const drafts = await this.#blobs.removeDrafts(Number.POSITIVE_INFINITY, onUnremoved);
    const isKept = (folder: string) => this.#records.has(folder);
    const strays = await this.#blobs.removeStrays(isKept, straysBefore, { onUnremoved });
    this.unremoved.report();
    if (expired + drafts + strays > 0) this.#log.info({ expired, drafts, strays }, 'cleaned up');
  }

  async #removeExpired(): Promise<number> {
    let removed = 0;
    for (;;) {
      const before = Date.now() - this.#expiryMs;
      const oldest = this.#records.createdBefore(before, EXPIRED_PER_ROUND_MAX + this.unremoved.size);
      const done = await this.#remove(oldest.filter((id) => !this.unremoved.has(id)));
      // If none of so many can be removed, the disk is the reason.
      if (done === 0) return removed;
      removed += done;
    }
  }

  /**
   * Removes expired uploads whose ids are in the future. After a forward jump of the clock, ids stay ahead until the
   * next start, while `createdAt` is right again. An upload created during the jump counts from now on.
   */
  async #removeExpiredAhead(): Promise<number> {
    const now = Date.now();
    const expired: MediaId[] = [];
    for (const id of this.#records.createdFrom(now + CLOCK_TOLERANCE_MS)) {
      const record = this.#records.find(id);
      if (record === undefined) continue;
      if (record.createdAt > now + CLOCK_TOLERANCE_MS) {
        await this.#records.setCreatedAt(id, now);
      } else if (record.createdAt < now - this.#expiryMs) expired.push(id);
    }
    return this.#remove(expired);
  }

  /**
   * The number of uploads that were removed. Files first: expired uploads are inaccessible anyway, and on a full disk the
   * records need the space.
   */
  async #remove(ids: readonly MediaId[]): Promise<number> {
    const removing = await Promise.allSettled(ids.map((id) => this.#blobs.remove(id)));
    const removed: MediaId[] = [];
    for (const [at, id] of ids.entries()) {
      const result = removing[at];
      if (result?.status === 'rejected') this.unremoved.add(id, result.reason);
      else removed.push(id);
    }
    await Promise.all(removed.map((id) => this.#records.remove(id)));
    return removed.length;
  }
}
