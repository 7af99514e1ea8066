/** Bounded parallelism. */

/** Runs at most so many pieces of work at a time; the others wait in their order. */
export class Slots {
  #free: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number, waitingMax: number) {
    this.#free = count;
    this.#waitingMax = waitingMax;
  }

  /** `undefined` without doing the work if too much is waiting already. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#free === 0) {
      if (this.#waiting.length >= this.#waitingMax) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#free -= 1;
    try {
      return await work();
    } finally {
      // The slot goes from hand to hand, so that nobody overtakes who waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
