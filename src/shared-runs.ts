/** A task whose runs callers share, such as a question to a database. */

export class SharedRuns<T> {
  readonly #task: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(task: () => Promise<T>) {
    this.#task = task;
  }

  /** The result of a run that starts with this call or later. Calls during a run share the next one. */
  run(): Promise<T> {
    if (this.#running === undefined) {
      this.#running = this.#task().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.run();
      });
    return this.#next;
  }

  /** Waits until no run is left, ignoring errors. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
  }
}
