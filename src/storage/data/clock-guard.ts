/** Notices a wall clock that jumps ahead: what is alive must not expire because of it. */
import type { Logger } from '../../platform/observe/log.js';

/** The clocks drift apart by less between two rounds of the clean-up. */
const TOLERANCE_MS = 60_000;

export class ClockGuard {
  readonly #pauseMs: number;
  readonly #log: Pick<Logger, 'warn'>;
  /** Time of the wall clock when the monotonic clock was 0. */
  #offsetMs = offset();
  #pausedUntilMs = 0;
  #jumpMs = 0;

  /** @param pauseMs how long nothing expires after a jump; monotonic time */
  constructor(pauseMs: number, log: Pick<Logger, 'warn'>) {
    this.#pauseMs = pauseMs;
    this.#log = log;
  }

  /** Whether the wall clock can be trusted to say what has expired. Call it in each round. */
  mayExpire(): boolean {
    const jumpMs = offset() - this.#offsetMs;
    this.#offsetMs += jumpMs;
    if (jumpMs > TOLERANCE_MS) {
      this.#pausedUntilMs = performance.now() + this.#pauseMs;
      this.#jumpMs = jumpMs;
      this.#log.warn(
        { jumpMs: Math.round(jumpMs) },
        'the clock jumped ahead; expired files are deleted later',
      );
    } else if (jumpMs < TOLERANCE_MS - this.#jumpMs) {
      // The clock was set right.
      this.#pausedUntilMs = 0;
      this.#jumpMs = 0;
    }
    return performance.now() >= this.#pausedUntilMs;
  }
}

function offset(): number {
  return Date.now() - performance.now();
}
