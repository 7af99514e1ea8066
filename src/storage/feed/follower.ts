/** Follows a change feed: calls to catch up share reads, and a reader behind the feed's start reloads. */
import { SharedRuns } from '../../platform/shared-runs.js';

/** What a read of the feed returned. */
export interface FeedRead {
  /** Number up to which the changes are complete. */
  readonly upTo: number;
  /** Whether further changes were left for the next read. */
  readonly hasMore: boolean;
}

export interface FollowerOptions<Found extends FeedRead> {
  /** Number of the last change that was applied. */
  position(): number;
  /** Reads changes after a number; `truncated` if some may have been deleted. */
  read(after: number): Promise<Found | 'truncated'>;
  /** Applies them; {@link FollowerOptions.position} is `upTo` then. */
  apply(found: Found): Promise<void>;
  /** Loads everything again; `position` is a number before the start of the load then. */
  reload(): Promise<void>;
  /** Receives errors of reads that {@link Follower.start} caused. */
  onError(error: unknown): void;
}

export class Follower<Found extends FeedRead> {
  readonly #options: FollowerOptions<Found>;
  readonly #runs = new SharedRuns(() => this.#catchUp());
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FollowerOptions<Found>) {
    this.#options = options;
  }

  /** Reads the feed every `pollMs` from now on, so that an idle process does not fall behind its start. */
  start(pollMs: number): void {
    const poll = () => this.follow().catch((error: unknown) => this.#options.onError(error));
    this.#timer = setInterval(poll, pollMs).unref();
  }

  /** Waits for running reads. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#runs.settle();
  }

  /** Applies all changes committed before this call. Calls during a read share the next read. */
  follow(): Promise<void> {
    return this.#runs.run();
  }

  async #catchUp(): Promise<void> {
    const { position, read, apply, reload } = this.#options;
    for (;;) {
      const found = await read(position());
      if (found === 'truncated') {
        await reload();
        continue;
      }
      await apply(found);
      if (!found.hasMore) return;
    }
  }
}
