/** Keeps something current that is derived from a numbered source: calls to catch up share reads, and a lost source is loaded again. */
import { SharedRuns } from '../../platform/shared-runs.js';

export interface FollowerOptions<Found extends { readonly hasMore: boolean }> {
  /** Reads what comes after the last read that was applied. `lost` if the source no longer has that. */
  read(): Promise<Found | 'lost'>;
  /** Applies it. The next read continues after it. */
  apply(found: Found): Promise<void>;
  /** Loads everything again. The next read continues at a point before the start of the load. */
  reload(): Promise<void>;
  /** Runs `catchUp` if this process may follow now, with what has to happen before and after it. Default: at once. */
  run?(catchUp: () => Promise<void>): Promise<void>;
  /** Receives errors of reads that {@link Follower.start} caused. */
  onError(error: unknown): void;
}

export class Follower<Found extends { readonly hasMore: boolean }> {
  readonly #options: FollowerOptions<Found>;
  readonly #runs: SharedRuns<void>;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FollowerOptions<Found>) {
    this.#options = options;
    const catchUp = () => this.#catchUp();
    this.#runs = new SharedRuns(() => options.run?.(catchUp) ?? catchUp());
  }

  /** Follows every `pollMs` from now on, so that an idle process does not fall behind the start of the source. */
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
    const { read, apply, reload } = this.#options;
    for (;;) {
      const found = await read();
      if (found === 'lost') {
        await reload();
        continue;
      }
      await apply(found);
      if (!found.hasMore) return;
    }
  }
}
