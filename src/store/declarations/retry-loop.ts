/** Rounds over all unfinished declarations: one after the other, and no further where the hub is out of reach. */
import type { Logger } from '../../observe/log.js';
import type { Attempts } from './attempts.js';
import type { DeclarationRows } from './rows.js';

const BATCH = 100;

export interface RetryPorts {
  readonly rows: DeclarationRows;
  readonly attempts: Attempts;
  readonly log: Logger;
  readonly now: () => number;
  readonly pauseMs: number;
}

export class RetryLoop {
  readonly #ports: RetryPorts;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(ports: RetryPorts) {
    this.#ports = ports;
  }

  /** The first round begins at once: a process before this one may have been killed in the middle of something. */
  start(): void {
    this.#round = this.#guardedRound().finally(() => {
      if (this.#stopped) return;
      this.#timer = setTimeout(() => this.start(), this.#ports.pauseMs);
      this.#timer.unref();
    });
  }

  /** Ends after the attempt that is being made. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Tries each declaration that is due once. */
  async round(): Promise<void> {
    const { rows, now } = this.#ports;
    const begun = now();
    for (;;) {
      const keys = await rows.due(begun, now(), BATCH);
      if (keys.length === 0) return;
      for (const key of keys) {
        if (this.#stopped || !(await this.#attempt(key))) return;
      }
    }
  }

  /** `false` if the hub could not be reached. */
  async #attempt(key: number): Promise<boolean> {
    const { attempts, log } = this.#ports;
    const { unreachable } = await attempts.run(key);
    if (unreachable) log.warn('the hub is out of reach; the other declarations wait for the next round');
    return !unreachable;
  }

  async #guardedRound(): Promise<void> {
    try {
      await this.round();
    } catch (error) {
      this.#ports.log.error({ err: error }, 'a round of declarations failed');
    }
  }
}
