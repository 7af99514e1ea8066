/** Which declaration a manifest id of the last hour belongs to, for clients that ignore `endpoint`. */

const ENTRIES_MAX = 100_000;
const LIFETIME_MS = 3_600_000;

interface Entry {
  readonly isccId: string;
  readonly untilMs: number;
}

/** The first entry of an id counts, and lives an hour from its insertion. When full, the oldest go. */
export class RecentManifests {
  /** All live equally long, so the order of insertion is the order in which they end. */
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #entriesMax: number;

  constructor(now: () => number = Date.now, entriesMax: number = ENTRIES_MAX) {
    this.#now = now;
    this.#entriesMax = entriesMax;
  }

  add(manifestId: string, isccId: string): void {
    this.#forgetOld();
    if (this.#entries.has(manifestId)) return;
    this.#entries.set(manifestId, { isccId, untilMs: this.#now() + LIFETIME_MS });
    if (this.#entries.size > this.#entriesMax) this.#forgetOldest();
  }

  isccIdOf(manifestId: string): string | undefined {
    this.#forgetOld();
    return this.#entries.get(manifestId)?.isccId;
  }

  get size(): number {
    return this.#entries.size;
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [manifestId, { untilMs }] of this.#entries) {
      if (untilMs > now) return;
      this.#entries.delete(manifestId);
    }
  }

  #forgetOldest(): void {
    const [oldest = ''] = this.#entries.keys();
    this.#entries.delete(oldest);
  }
}
