/** Decides whether a short search may run on the event loop. */

/**
 * A search of some 100 µs is cheaper on the event loop than on a thread. To stay responsive, the event loop spends at
 * most half of its time in searches: after one of n ms, the next n ms belong to other work.
 */
export class InlineBudget {
  readonly #now: () => number;
  #lastEnd = 0;
  #lastMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param work receives whether it may block the event loop */
  run<T>(work: (mayBlock: boolean) => T): T {
    const start = this.#now();
    const mayBlock = start - this.#lastEnd >= this.#lastMs;
    const result = work(mayBlock);
    if (mayBlock) {
      this.#lastEnd = this.#now();
      this.#lastMs = this.#lastEnd - start;
    }
    return result;
  }
}
