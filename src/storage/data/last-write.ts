/** The outcome of the last write to a storage, for readiness probes. */
import { setTimeout as pause } from 'node:timers/promises';
import { saysFull } from './full.js';

/** Readiness probes have short timeouts. */
const TEST_MS_MAX = 500;

export class LastWrite {
  readonly #test: () => Promise<unknown>;
  #failure: string | undefined;
  #testing: Promise<unknown> | undefined;

  /** @param test writes to the storage and reports the outcome to this object, like every other write */
  constructor(test: () => Promise<unknown>) {
    this.#test = test;
  }

  /** Data of a write is on the disk. */
  succeeded(): void {
    this.#failure = undefined;
  }

  /** @param reason for operators, unless the error says that the disk is full */
  failed(error: unknown, reason: string): void {
    this.#failure = saysFull(error) ? 'the disk is full' : reason;
  }

  /**
   * Why the last write failed; `undefined` if it succeeded. A failed write is followed by a test first: otherwise a service
   * that gets no requests, because it is not ready, would never become ready again.
   */
  async problem(): Promise<string | undefined> {
    if (this.#failure === undefined) return undefined;
    this.#testing ??= this.#test()
      .catch(() => undefined)
      .finally(() => {
        this.#testing = undefined;
      });
    await Promise.race([this.#testing, pause(TEST_MS_MAX)]);
    return this.#failure;
  }
}
