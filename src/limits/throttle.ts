/** Rate limits as services use them: by the client's address, with exemptions. */
import { clientKey } from './client-key.js';
import type { RateLimiter } from './port.js';

export class Throttle {
  readonly #limiter: RateLimiter;
  readonly #exempt: ReadonlySet<string>;

  /** @param exempt addresses in their canonical form that no limit holds for */
  constructor(limiter: RateLimiter, exempt: readonly string[]) {
    this.#limiter = limiter;
    this.#exempt = new Set(exempt);
  }

  /** Counts a request; 0 if it may go on, else the seconds to wait. */
  take(kind: string, address: string): number | Promise<number> {
    return this.#exempt.has(address) ? 0 : this.#limiter.take(kind, clientKey(address));
  }
}
