/** Runs of which only the latest may show its result. */

/**
 * Runs of the same kind, e.g. searches. Each gets a signal that aborts when a newer one starts, because requests may
 * end in another order than they began.
 */
export class Latest {
  #current = new AbortController();

  /** Starts a run, which makes all earlier ones stale. */
  start(): AbortSignal {
    this.#current.abort();
    this.#current = new AbortController();
    return this.#current.signal;
  }
}
