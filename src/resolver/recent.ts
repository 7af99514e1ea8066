/** Which declaration a manifest id of the last hour belongs to, for clients that ignore `endpoint`. */

const ENTRIES_MAX = 100_000;
const LIFETIME_MS = 3_600_000;

interface Entry {
  readonly isccId: string;
  readonly untilMs: number;
}

/** The first entry of an id counts, and lives an hour from its insertion. When full, the oldest go. */
export class RecentManifests {
  readonly #entries = new Map<string, Entry>();
  /**
   * Ids by insertion, which is the order in which they end, as all live equally long. The map knows that order, too, but walks
   * over all that was deleted before it comes to the first.
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
    this.#forgetOld();
    if (this.#entries.has(manifestId)) return;
    this.#entries.set(manifestId, { isccId, untilMs: this.#now() + LIFETIME_MS });
    this.#order.push(manifestId);
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
    for (let oldest = this.#oldest(); oldest && oldest.untilMs <= now; oldest = this.#oldest()) {
      this.#forgetOldest();
    }
  }

  #oldest(): Entry | undefined {
    const id = this.#order[this.#first];
    return id === undefined ? undefined : this.#entries.get(id);
  }

  #forgetOldest(): void {
    this.#entries.delete(this.#order[this.#first] ?? '');
    this.#first += 1;
    if (this.#first <= this.#entriesMax) return;
    this.#order = this.#order.slice(this.#first);
    this.#first = 0;
  }
}
