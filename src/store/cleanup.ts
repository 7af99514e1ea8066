/** Removes files that no row knows: what a crash between a file and its row has left, or a delete and its file. */
import type { ContentBlobs } from '../blobs/content.js';
import type { Logger } from '../observe/log.js';
import type { Manifests } from './manifests.js';

/** Younger files may belong to an upload that is about to get its row. */
const ORPHAN_GRACE_MS = 10 * 60 * 1000;
const INTERVAL_MS = 60 * 60 * 1000;

export interface CleanupParts {
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
    const { blobs, manifests, log } = this.#parts;
    const drafts = await blobs.removeDrafts(before);
    let orphans = 0;
    for await (const { digest, writtenAt } of blobs.list()) {
      if (writtenAt >= before || (await manifests.findLiveBytes(digest)) !== undefined) continue;
      if (await manifests.whileUnused(digest, () => blobs.remove(digest))) orphans += 1;
    }
    if (drafts + orphans > 0) log.info({ drafts, orphans }, 'cleaned up');
  }
}
