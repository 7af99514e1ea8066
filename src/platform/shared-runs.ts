/** A task whose runs callers share, such as a question to a database. */
import { setImmediate as afterEvents } from 'node:timers/promises';

export class SharedRuns<T> {
  readonly #task: () => Promise<T>;
  #running: Promise<T> | undefined;
  /** A run that has not begun. */
  #next: Promise<T> | undefined;

  constructor(task: () => Promise<T>) {
    this.#task = task;
  }

  /**
   * The result of a run that begins after this call. It begins once the running one has ended and the event loop has
   * processed the events at hand, because requests that arrive together then share it.
   */
  run(): Promise<T> {
    this.#next ??= this.#start(this.#running);
    return this.#next;
  }

  /** Waits until no run is left, ignoring errors. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
  }

  async #start(last: Promise<T> | undefined): Promise<T> {
    await last?.catch(() => {});
    await afterEvents();
    const run = this.#task();
    this.#running = run;
    this.#next = undefined;
    try {
      return await run;
    } finally {
      if (this.#running === run) this.#running = undefined;
    }
  }
}
