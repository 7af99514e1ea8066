/** Remembers for an hour which declaration a manifest id belongs to, for clients that ignore `endpoint`. */

const ENTRIES_MAX = 100_000;
const LIFETIME_MS = 3_600_000;

interface Entry {
  readonly isccId: string;
  readonly untilMs: number;
}

/** The first entry of an id is kept for an hour from its insertion. When full, the oldest entries are dropped. */
export class RecentManifests {
  readonly #entries = new Map<string, Entry>();
  /**
   * Ids in order of insertion, which is also the order of expiry. The map has the same order, but finding its first
   * entry is slow after many deletions.
   */
  #order: string[] = [];
  #first = 0;
  readonly #now: () => number;
  readonly #entriesMax: number;

  constructor(now: () => number = Date.now, entriesMax: number = ENTRIES_MAX) {
    this.#now = now;
    this.#entriesMax = entriesMax;
  }

  add(manifestId: string, isccId: string): void {
    this.#dropExpired();
    if (this.#entries.has(manifestId)) return;
    this.#entries.set(manifestId, { isccId, untilMs: this.#now() + LIFETIME_MS });
    this.#order.push(manifestId);
    if (this.#entries.size > this.#entriesMax) this.#dropOldest();
  }

  isccIdOf(manifestId: string): string | undefined {
    this.#dropExpired();
    return this.#entries.get(manifestId)?.isccId;
  }

  get size(): number {
    return this.#entries.size;
  }

  #dropExpired(): void {
    const now = this.#now();
    for (let oldest = this.#oldest(); oldest && oldest.untilMs <= now; oldest = this.#oldest()) {
      this.#dropOldest();
    }
  }

  #oldest(): Entry | undefined {
    const id = this.#order[this.#first];
    return id === undefined ? undefined : this.#entries.get(id);
  }

  #dropOldest(): void {
    this.#entries.delete(this.#order[this.#first] ?? '');
    this.#first += 1;
    if (this.#first <= this.#entriesMax) return;
    this.#order = this.#order.slice(this.#first);
    this.#first = 0;
  }
}
