/** Rate limits per client and kind of request: the port, and fixed windows counted in this process. */
import type { Rate } from '../config/rate.js';
import { monotonicMs } from '../time-limit.js';

export interface RateLimiter {
  /**
   * Counts one request of a client, unless its window is full.
   *
   * @param kind what is limited; each kind has its own counter
   * @param cost what the request counts for, such as its bytes. The request that reaches the limit is still allowed
   * @returns 0 if the request is allowed, else the whole seconds until a retry makes sense, at least 1
   */
  take(kind: string, client: string, cost?: number): number | Promise<number>;
}

/**
 * Tracks at most twice this many clients per kind, then evicts the older half, so that a flood of addresses cannot
 * exhaust the memory.
 */
const CLIENTS_MAX = 50_000;

interface Window {
  number: number;
  counts: Map<string, number>;
  older: Map<string, number>;
}

/** Windows of a kind begin at multiples of its period, at the same moment for all clients. */
export class FixedWindows implements RateLimiter {
  readonly #rates: Readonly<Record<string, Rate>>;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  /**
   * @param rates by kind; kinds without a rate are not limited
   * @param now milliseconds of a clock that never jumps: a jump would begin a new window
   */
  constructor(rates: Readonly<Record<string, Rate>>, now: () => number = monotonicMs) {
    this.#rates = rates;
    this.#now = now;
  }

  take(kind: string, client: string, cost = 1): number {
    const rate = this.#rates[kind];
    if (rate === undefined) return 0;
    const seconds = this.#now() / 1000;
    const window = this.#window(kind, Math.floor(seconds / rate.periodSeconds));
    const count = window.counts.get(client) ?? window.older.get(client) ?? 0;
    if (count >= rate.count)
      return Math.max(1, Math.ceil((window.number + 1) * rate.periodSeconds - seconds));
    if (window.counts.size >= CLIENTS_MAX) {
      window.older = window.counts;
      window.counts = new Map();
    }
    window.counts.set(client, count + cost);
    return 0;
  }

  #window(kind: string, number: number): Window {
    const current = this.#windows.get(kind);
    if (current?.number === number) return current;
    const window = { number, counts: new Map<string, number>(), older: new Map<string, number>() };
    this.#windows.set(kind, window);
    return window;
  }
}
