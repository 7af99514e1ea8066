/** Bounded concurrency that is shared fairly between groups of tasks, such as the requests to different hosts. */

/**
 * Runs at most `count` tasks concurrently. Groups with waiting tasks take turns, so that many slow tasks of one group do not
 * delay those of others for long.
 */
export class FairSlots {
  readonly #waitingMax: number;
  /** Tasks that wait, by group. The group whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;
  #waitingCount = 0;

  /** @param waitingMax tasks that {@link tryRun} lets wait */
  constructor(count: number, waitingMax: number) {
    this.#free = count;
    this.#waitingMax = waitingMax;
  }

  /** The result of the task; `undefined` without running it if the queue is full. */
  async tryRun<T>(group: string, task: () => Promise<T>): Promise<T | undefined> {
    if (this.#free === 0 && this.#waitingCount >= this.#waitingMax) return undefined;
    if (this.#free === 0) await this.#turn(group);
    else this.#free -= 1;
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  #turn(group: string): Promise<void> {
    const queue = this.#waiting.get(group) ?? [];
    this.#waiting.set(group, queue);
    this.#waitingCount += 1;
    return new Promise((resolve) => queue.push(resolve));
  }

  /** Passes the slot on directly, so that a new task cannot overtake the waiting ones. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    const [group, queue] = next;
    // Its next turn comes after those of the others.
    this.#waiting.delete(group);
    const wake = queue.shift();
    if (queue.length > 0) this.#waiting.set(group, queue);
    this.#waitingCount -= 1;
    wake?.();
  }
}
