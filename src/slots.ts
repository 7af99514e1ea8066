/** Bounded concurrency. */

/** Runs at most `count` tasks concurrently; further tasks wait in order of arrival. */
export class Slots {
  #free: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];

  /** @param waitingMax tasks that {@link tryRun} lets wait */
  constructor(count: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#free = count;
    this.#waitingMax = waitingMax;
  }

  /** The result of the task; `undefined` without running it if the queue is full. */
  async tryRun<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#free === 0 && this.#waiting.length >= this.#waitingMax) return undefined;
    return this.run(task);
  }

  /** The result of the task, however many tasks wait. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await task();
    } finally {
      // Passes the slot on directly, so that a new task cannot overtake the waiting ones.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
