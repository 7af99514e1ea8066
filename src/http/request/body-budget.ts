/** How much memory request bodies that are kept whole may take together, in all services of a process. */
import { clientKey } from '../../platform/limits/throttle.js';
import { processMemory } from '../../platform/process-memory.js';

/** Part of the memory of the process. The values in a body take five times its size, so that all take a third. */
const MEMORY_SHARE = 1 / 16;
/** Part of the budget that one client network may fill. */
const CLIENT_SHARE = 1 / 2;
/** Smaller bodies do not count: as much may wait for any reader. */
const SMALL_BYTES = 256 * 1024;

export class BodyBudget {
  readonly #bytesMax: number;
  #bytes = 0;
  /** By client network; those without a body are absent. */
  readonly #byClient = new Map<string, number>();

  /** @param bytesMax default: a 16th of the memory of this process */
  constructor(bytesMax = MEMORY_SHARE * processMemory()) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of all bodies that are kept now, without small ones. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The body of one request. Close it when the request is over. */
  open(clientAddress: string): BodyShare {
    return new BodyShare(this, clientKey(clientAddress));
  }

  /**
   * Whether a body that has `own` bytes may have `more`. The only body may be as large as its route allows, and so may the
   * only one of a client while there is room.
   */
  take(client: string, own: number, more: number): boolean {
    const ofClient = this.#byClient.get(client) ?? 0;
    const isFull = this.#bytes > own && this.#bytes + more > this.#bytesMax;
    const isGreedy = ofClient > own && ofClient + more > CLIENT_SHARE * this.#bytesMax;
    if (isFull || isGreedy) return false;
    this.#bytes += more;
    this.#byClient.set(client, ofClient + more);
    return true;
  }

  giveBack(client: string, bytes: number): void {
    this.#bytes -= bytes;
    const ofClient = (this.#byClient.get(client) ?? 0) - bytes;
    if (ofClient > 0) this.#byClient.set(client, ofClient);
    else this.#byClient.delete(client);
  }
}

/** What one body takes of the budget. */
export class BodyShare {
  readonly #budget: BodyBudget;
  readonly #client: string;
  #bytes = 0;

  constructor(budget: BodyBudget, client: string) {
    this.#budget = budget;
    this.#client = client;
  }

  /** Whether the body may have so many bytes in memory. */
  grow(bytes: number): boolean {
    if (bytes <= SMALL_BYTES || bytes <= this.#bytes) return true;
    if (!this.#budget.take(this.#client, this.#bytes, bytes - this.#bytes)) return false;
    this.#bytes = bytes;
    return true;
  }

  close(): void {
    if (this.#bytes > 0) this.#budget.giveBack(this.#client, this.#bytes);
    this.#bytes = 0;
  }
}
