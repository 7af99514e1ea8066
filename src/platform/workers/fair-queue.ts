/** Waiting jobs of several clients, which take turns. Design: docs/design/worker-pool.md. */

/** Part of the queue that the jobs of one client may fill. */
const CLIENT_SHARE = 3 / 4;

export interface Queued {
  /** Whose job it is; `undefined` for jobs of the process itself, which have no limit of their own. */
  readonly client: string | undefined;
}

export class FairQueue<Item extends Queued> {
  readonly #items: Item[] = [];
  readonly #lengthMax: number;
  /** Number of running jobs by client; clients without any are absent. */
  readonly #running = new Map<string, number>();

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#items.length;
  }

  /** Adds a job at the end. Returns `false` if the queue, or the client's part of it, is full. */
  add(item: Item): boolean {
    if (this.#items.length >= this.#lengthMax) return false;
    const { client } = item;
    const clientMax = Math.ceil(this.#lengthMax * CLIENT_SHARE);
    const isGreedy = client !== undefined && this.#waiting(client) >= clientMax;
    if (!isGreedy) this.#items.push(item);
    return !isGreedy;
  }

  /** Returns a job that was taken before. */
  putBack(item: Item): void {
    this.#items.unshift(item);
  }

  /** The next job: the oldest one of the clients with the fewest running jobs. */
  peek(): Item | undefined {
    let [next, fewest] = [this.#items[0], Number.POSITIVE_INFINITY];
    for (const item of this.#items) {
      const running = this.runningOf(item.client);
      if (running < fewest) [next, fewest] = [item, running];
      if (fewest === 0) break;
    }
    return next;
  }

  remove(item: Item): void {
    const index = this.#items.indexOf(item);
    if (index >= 0) this.#items.splice(index, 1);
  }

  removeAll(): Item[] {
    return this.#items.splice(0);
  }

  /** Counts a job that starts (1) or has ended (-1). */
  count({ client }: Item, change: 1 | -1): void {
    if (client === undefined) return;
    const running = this.runningOf(client) + change;
    if (running === 0) this.#running.delete(client);
    else this.#running.set(client, running);
  }

  runningOf(client: string | undefined): number {
    return client === undefined ? 0 : (this.#running.get(client) ?? 0);
  }

  /** Whether one client runs more than this number of jobs. */
  hasClientAbove(jobs: number): boolean {
    for (const running of this.#running.values()) if (running > jobs) return true;
    return false;
  }

  #waiting(client: string): number {
    return this.#items.filter((item) => item.client === client).length;
  }
}
