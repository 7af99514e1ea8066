/** Fixed windows in this process: all clients' windows of a kind begin at multiples of its period. */
import type { RateLimiter } from './port.js';
import type { Rate } from './rate.js';

/** Twice as many clients are known at most; beyond, the older half is forgotten: a flood of addresses costs no more memory. */
const CLIENTS_MAX = 50_000;

interface Window {
  number: number;
  counts: Map<string, number>;
  older: Map<string, number>;
}

export class FixedWindows implements RateLimiter {
  readonly #rates: Readonly<Record<string, Rate>>;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  /** @param now milliseconds since the epoch */
  constructor(rates: Readonly<Record<string, Rate>>, now: () => number = Date.now) {
    this.#rates = rates;
    this.#now = now;
  }

  take(kind: string, client: string): number {
    const rate = this.#rates[kind];
    if (rate === undefined) return 0;
    const seconds = this.#now() / 1000;
    const window = this.#window(kind, Math.floor(seconds / rate.periodSeconds));
    const count = (window.counts.get(client) ?? window.older.get(client) ?? 0) + 1;
    if (count > rate.count) return Math.max(1, Math.ceil((window.number + 1) * rate.periodSeconds - seconds));
    if (window.counts.size >= CLIENTS_MAX) {
      window.older = window.counts;
      window.counts = new Map();
    }
    window.counts.set(client, count);
    return 0;
  }

  #window(kind: string, number: number): Window {
    const known = this.#windows.get(kind);
    if (known?.number === number) return known;
    const window = { number, counts: new Map<string, number>(), older: new Map<string, number>() };
    this.#windows.set(kind, window);
    return window;
  }
}
