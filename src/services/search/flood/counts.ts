/** Counts matches by unit in windows, and knows from a unit's past when it suddenly matches too much. */

/** Number of units that are counted, of all indexes. Each takes some 200 bytes. */
const UNITS_MAX = 100_000;
/** Share of a window in the past: an average in which each earlier window counts less. */
const SHARE = 0.25;
/** The past counts as at least so many matches a window: a few people who look at the same thing are no flood. */
const PAST_MIN = 10;
/** Windows until a past is known, after a start and after a release: then it holds three quarters of a steady value. */
export const LEARNING_WINDOWS = 5;

export interface CountSettings {
  /** A unit that matches more than so many times its past is a flood. At least 2. */
  readonly factor: number;
  readonly windowMs: number;
  /** For tests. */
  readonly unitsMax?: number;
}

/** What a unit that floods has. */
export interface Flood {
  /** Answers of the present window in which it matched. */
  readonly matches: number;
  /** Average of earlier windows. */
  readonly past: number;
}

interface Count {
  window: number;
  matches: number;
  past: number;
}

export class MatchCounts {
  readonly #settings: CountSettings;
  /** The last one matched last. A unit that is forgotten has a past of 0; it has not matched for long. */
  readonly #counts = new Map<string, Count>();
  readonly #start: number;

  /** @param nowMs of a clock that never goes back */
  constructor(settings: CountSettings, nowMs: number) {
    this.#settings = settings;
    this.#start = this.#windowAt(nowMs);
  }

  /** Number of units with a past. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts a match. Returns the flood that it is part of. After a start, all units learn. */
  add(unit: string, nowMs: number): Flood | undefined {
    const window = this.#windowAt(nowMs);
    const count = this.#counts.get(unit) ?? { window, matches: 0, past: 0 };
    this.#counts.delete(unit);
    this.#counts.set(unit, count);
    if (this.#counts.size > (this.#settings.unitsMax ?? UNITS_MAX)) this.#forgetOldest();
    if (window > count.window) {
      const last = count.past + SHARE * (count.matches - count.past);
      // The windows between had no match.
      count.past = last * (1 - SHARE) ** (window - count.window - 1);
      count.window = window;
      count.matches = 0;
    }
    count.matches += 1;
    if (window < this.#start + LEARNING_WINDOWS) return undefined;
    const { matches, past } = count;
    return matches > this.#settings.factor * Math.max(past, PAST_MIN) ? { matches, past } : undefined;
  }

  #forgetOldest(): void {
    const oldest = this.#counts.keys().next();
    if (oldest.done !== true) this.#counts.delete(oldest.value);
  }

  #windowAt(nowMs: number): number {
    return Math.floor(nowMs / this.#settings.windowMs);
  }
}
