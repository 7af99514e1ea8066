/** Removes what has expired, and what a crash left without a record. */
import type { Blobs } from '../blobs/port.js';
import type { Logger } from '../observe/log.js';
import type { Records } from './records.js';

/** A stray this young may belong to an upload that is about to get its record. */
const STRAY_GRACE_MS = 10 * 60 * 1000;
const EXPIRED_PER_ROUND_MAX = 1000;

export class Cleanup {
  readonly #blobs: Blobs;
  readonly #records: Records;
  readonly #expiryMs: number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: { blobs: Blobs; records: Records; log: Logger }, expirySeconds: number) {
    this.#blobs = parts.blobs;
    this.#records = parts.records;
    this.#log = parts.log;
    this.#expiryMs = expirySeconds * 1000;
  }

  /**
   * Before the first request every stray is a leftover; afterwards a clean-up runs every so many seconds. With 0 what
   * has expired stays.
   */
  async start(intervalSeconds: number): Promise<void> {
    if (intervalSeconds === 0) return this.#removeLeftovers(Number.POSITIVE_INFINITY, 0);
    await this.#run(Number.POSITIVE_INFINITY);
    this.#timer = setInterval(() => {
      this.#running ??= this.#run(Date.now() - STRAY_GRACE_MS)
        .catch((error: unknown) => this.#log.error({ err: error }, 'clean-up failed'))
        .finally(() => {
          this.#running = undefined;
        });
    }, intervalSeconds * 1000);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(straysBefore: number): Promise<void> {
    await this.#removeLeftovers(straysBefore, await this.#removeExpired());
  }

  async #removeLeftovers(straysBefore: number, expired: number): Promise<void> {
    // Drafts that are in use are known: one server owns the folder.
    const drafts = await this.#blobs.removeDrafts(Number.POSITIVE_INFINITY);
    const strays = await this.#blobs.removeStrays((folder) => this.#records.has(folder), straysBefore);
    if (expired + drafts + strays > 0) this.#log.info({ expired, drafts, strays }, 'cleaned up');
  }

  async #removeExpired(): Promise<number> {
    let removed = 0;
    for (;;) {
      const ids = this.#records.madeBefore(Date.now() - this.#expiryMs, EXPIRED_PER_ROUND_MAX);
      if (ids.length === 0) return removed;
      // First the files, for nobody sees them any more: on a full disk the records need the room.
      await Promise.all(ids.map((id) => this.#blobs.remove(id)));
      await Promise.all(ids.map((id) => this.#records.remove(id)));
      removed += ids.length;
    }
  }
}
