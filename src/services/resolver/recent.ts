/**
 * Remembers for an hour which declarations a manifest id belongs to, for clients that ignore `endpoint`, and which of them have led
 * to a manifest with this id.
 */
import { monotonicMs } from '../../platform/time-limit.js';

const ENTRIES_MAX = 100_000;
const LIFETIME_MS = 3_600_000;
/** Of one id. They are fetched at once. */
export const CANDIDATES_MAX = 5;

interface Entry {
  /** At most {@link CANDIDATES_MAX}. First those that have led to the manifest, then those that queries returned, best first. */
  readonly isccIds: string[];
  /** By ISCC-ID: SHA-256 of the manifest that it has led to. */
  readonly confirmed: Map<string, string>;
  readonly untilMs: number;
}

/** An id is kept for an hour from its first declaration. When full, the oldest ids are dropped. */
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

  /** @param now ms of a monotonic clock */
  constructor(now: () => number = monotonicMs, entriesMax: number = ENTRIES_MAX) {
    this.#now = now;
    this.#entriesMax = entriesMax;
  }

  add(manifestId: string, isccId: string): void {
    this.#dropExpired();
    const known = this.#entries.get(manifestId);
    if (known !== undefined) {
      if (known.isccIds.length < CANDIDATES_MAX && !known.isccIds.includes(isccId))
        known.isccIds.push(isccId);
      return;
    }
    this.#entries.set(manifestId, {
      isccIds: [isccId],
      confirmed: new Map(),
      untilMs: this.#now() + LIFETIME_MS,
    });
    this.#order.push(manifestId);
    if (this.#entries.size > this.#entriesMax) this.#dropOldest();
  }

  /** A declaration has led to a manifest with this id and SHA-256. Comes before all that have not yet. */
  confirm(manifestId: string, isccId: string, sha256: string): void {
    this.add(manifestId, isccId);
    const entry = this.#entries.get(manifestId);
    if (entry === undefined) return;
    const { isccIds, confirmed } = entry;
    if (!confirmed.has(isccId)) {
      if (confirmed.size === CANDIDATES_MAX) return;
      const others = isccIds.filter((other) => other !== isccId);
      others.splice(confirmed.size, 0, isccId);
      isccIds.splice(0, isccIds.length, ...others.slice(0, CANDIDATES_MAX));
    }
    confirmed.set(isccId, sha256);
  }

  /** Whether a manifest with this SHA-256 is known to have the id. */
  isConfirmed(manifestId: string, sha256: string): boolean {
    this.#dropExpired();
    const confirmed = this.#entries.get(manifestId)?.confirmed;
    return confirmed !== undefined && [...confirmed.values()].includes(sha256);
  }

  isccIdsOf(manifestId: string): readonly string[] {
    this.#dropExpired();
    return this.#entries.get(manifestId)?.isccIds ?? [];
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
