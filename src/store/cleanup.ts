/**
 * Removes what is of no use any more: files that no row knows, which a crash between a file and its row has left, or a
 * delete and its file; and changes that every process has followed long ago.
 */
import type { ContentBlobs } from '../blobs/content.js';
import type { Db } from '../database/open.js';
import type { Logger } from '../observe/log.js';
import { forgetChanges } from './feed.js';
import type { Manifests } from './manifests.js';

/** Younger files may belong to an upload that is about to get its row. */
const ORPHAN_GRACE_MS = 10 * 60 * 1000;
/** Minutes of uploads and deletes at full speed; processes follow every minute. */
export const CHANGES_KEPT = 100_000;
const INTERVAL_MS = 60 * 60 * 1000;

export interface CleanupParts {
  readonly db: Db;
  readonly blobs: ContentBlobs;
  readonly manifests: Manifests;
  readonly log: Logger;
}

export class Cleanup {
  readonly #parts: CleanupParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: CleanupParts) {
    this.#parts = parts;
  }

  /** A first round now, in the background, and one every hour. */
  start(): void {
    const round = () => {
      this.#running ??= this.run(Date.now() - ORPHAN_GRACE_MS)
        .catch((error: unknown) => this.#parts.log.error({ err: error }, 'clean-up failed'))
        .finally(() => {
          this.#running = undefined;
        });
    };
    round();
    this.#timer = setInterval(round, INTERVAL_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Removes drafts and orphans that were written before `before`, in milliseconds since the epoch. */
  async run(before: number): Promise<void> {
    const { db, blobs, manifests, log } = this.#parts;
    await forgetChanges(db, CHANGES_KEPT);
    const drafts = await blobs.removeDrafts(before);
    let orphans = 0;
    for await (const { digest, writtenAt } of blobs.list()) {
      if (writtenAt >= before || (await manifests.findLiveBytes(digest)) !== undefined) continue;
      orphans += await manifests.whileUnused([digest], (unused) => blobs.remove(unused));
    }
    if (drafts + orphans > 0) log.info({ drafts, orphans }, 'cleaned up');
  }
}
