/** Retries all unfinished declarations in rounds, one after the other. A round ends when the hub is unreachable. */
import type { Logger } from '../../../platform/observe/log.js';
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

  /** Runs the first round immediately, to finish what a killed process left open. */
  start(): void {
    this.#round = this.#guardedRound().finally(() => {
      if (this.#stopped) return;
      this.#timer = setTimeout(() => this.start(), this.#ports.pauseMs);
      this.#timer.unref();
    });
  }

  /** Resolves after the attempt in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Attempts each due declaration once. */
  async round(): Promise<void> {
    const { rows, now } = this.#ports;
    let begun = now();
    for (;;) {
      // After the clock was set back, what has been attempted in this round would be due for as long.
      begun = Math.min(begun, now());
      const keys = await rows.due(begun, now(), BATCH);
      if (keys.length === 0) return;
      for (const key of keys) {
        if (this.#stopped || !(await this.#attempt(key))) return;
      }
    }
  }

  /** Returns `false` if the hub is unreachable. */
  async #attempt(key: number): Promise<boolean> {
    const { attempts, log } = this.#ports;
    const { unreachable } = await attempts.run(key);
    if (unreachable) log.warn('the hub is unreachable; the other declarations wait for the next round');
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
