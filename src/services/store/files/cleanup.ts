/**
 * Removes files without a row, which a crash leaves between the writes of file and row, or between a delete and its
 * file; files of deleted manifests that can no longer be restored; and changes that every process has read long ago.
 */
import type { Logger } from '../../../platform/observe/log.js';
import type { ContentBlobs } from '../../../storage/blobs/content-port.js';
import { ClockGuard } from '../../../storage/data/clock-guard.js';
import type { Db } from '../../../storage/database/tables.js';
import { truncateFeed } from '../feed.js';
import type { Manifests } from '../manifests/manifests.js';

/** Younger files may belong to an upload whose row is not written yet. */
const ORPHAN_GRACE_MS = 10 * 60 * 1000;
/** Minutes of uploads and deletes at full speed. Processes read the changes at least once a minute. */
export const CHANGES_KEPT = 100_000;
const INTERVAL_MS = 60 * 60 * 1000;

export interface CleanupParts {
  readonly db: Db;
  readonly blobs: ContentBlobs;
  readonly manifests: Manifests;
  readonly log: Logger;
  /** How long a deleted manifest can be restored; 0 by default. */
  readonly undoMs?: number;
}

export class Cleanup {
  readonly #parts: CleanupParts;
  readonly #clock: ClockGuard;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: CleanupParts) {
    this.#parts = parts;
    this.#clock = new ClockGuard(Math.max(parts.undoMs ?? 0, ORPHAN_GRACE_MS), parts.log);
  }

  /**
   * Runs a round now, in the background, and one every hour. The first one ignores the age of files: it removes what a
   * killed process left. An upload that another process is writing at that time notices the loss and writes its file
   * again.
   */
  start(): void {
    const round = (graceMs: number) => {
      this.#running ??= this.run(Date.now() - graceMs)
        .catch((error: unknown) => this.#parts.log.error({ err: error }, 'clean-up failed'))
        .finally(() => {
          this.#running = undefined;
        });
    };
    round(0);
    this.#timer = setInterval(round, INTERVAL_MS, ORPHAN_GRACE_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /**
   * Removes drafts and orphans that were written before `before`, in milliseconds since the epoch. After a clock that jumped
   * ahead, nothing is removed by its age for a while.
   */
  async run(before: number): Promise<void> {
    const { db, blobs, manifests, log, undoMs = 0 } = this.#parts;
    await truncateFeed(db, CHANGES_KEPT);
    if (!this.#clock.mayExpire()) return;
    await manifests.endUndo(Date.now(), undoMs);
    const drafts = await blobs.removeDrafts(before);
    let orphans = 0;
    for await (const { digest, writtenAt } of blobs.list()) {
      if (writtenAt >= before || (await manifests.isUsed(digest))) continue;
      orphans += await manifests.whileUnused([digest], (unused) => blobs.remove(unused));
    }
    if (drafts + orphans > 0) log.info({ drafts, orphans }, 'cleaned up');
  }
}
