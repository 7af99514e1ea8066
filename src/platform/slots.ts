/** Bounded concurrency. */

/**
 * Runs at most `count` tasks concurrently; further tasks wait. Groups of tasks, such as the requests to different sites, take
 * turns, so that many slow tasks of one group do not delay those of others for long. Within a group, tasks wait in order of
 * arrival.
 */
export class Slots {
  #free: number;
  readonly #count: number;
  readonly #waitingMax: number;
  /** Tasks that wait, by group. The group whose turn is next comes first. */
  readonly #queues = new Map<string, (() => void)[]>();
  #waiting = 0;

  /** @param waitingMax tasks that {@link tryRun} lets wait */
  constructor(count: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#free = count;
    this.#count = count;
    this.#waitingMax = waitingMax;
  }

  /** Number of tasks that run. */
  get running(): number {
    return this.#count - this.#free;
  }

  /** Number of tasks that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The result of the task; `undefined` without running it if the queue is full. */
  async tryRun<T>(task: () => Promise<T>, group?: string): Promise<T | undefined> {
    if (this.#free === 0 && this.#waiting >= this.#waitingMax) return undefined;
    return this.run(task, group);
  }

  /** The result of the task, however many tasks wait. */
  async run<T>(task: () => Promise<T>, group = ''): Promise<T> {
    if (this.#free === 0) await this.#turn(group);
    else this.#free -= 1;
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  #turn(group: string): Promise<void> {
    const queue = this.#queues.get(group) ?? [];
    this.#queues.set(group, queue);
    this.#waiting += 1;
    return new Promise((resolve) => queue.push(resolve));
  }

  /** Passes a slot on directly, so that a new task cannot overtake the waiting ones. */
  #passOn(): void {
    const [next] = this.#queues;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    const [group, queue] = next;
    const wake = queue.shift();
    // Its next turn comes after those of the others.
    this.#queues.delete(group);
    if (queue.length > 0) this.#queues.set(group, queue);
    this.#waiting -= 1;
    wake?.();
  }
}

/**
 * The results of a task for each item, in the order of the items, each as soon as it and those before it are there.
 * Reads at most `parallel` items ahead. The task must not reject.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  task: (item: Item) => Promise<Result>,
  parallel: number,
): AsyncGenerator<Result> {
  const source = items[Symbol.asyncIterator]();
  const next = () => {
    const read = source.next();
    // It may fail while only results are awaited. The error counts when the item is.
    read.catch(() => {});
    return read;
  };
  const running: Promise<Result>[] = [];
  let reading: Promise<IteratorResult<Item>> | undefined = next();
  try {
    while (reading !== undefined || running.length > 0) {
      const [head] = running;
      const item = running.length < parallel ? reading?.then((read) => ({ read })) : undefined;
      const result = head?.then((value) => ({ value }));
      const first = await Promise.race([item, result].filter((one) => one !== undefined));
      if ('value' in first) {
        running.shift();
        yield first.value;
      } else if (first.read.done) reading = undefined;
      else {
        running.push(task(first.read.value));
        reading = next();
      }
    }
  } finally {
    // Not awaited: an item that is being read may take as long as the client wants.
    source.return?.().catch(() => {});
  }
}
