/** How much memory request bodies that are kept whole may take together, in all services of a process. */
import { clientKey } from '../../platform/limits/throttle.js';
import { processMemory } from '../../platform/process-memory.js';

/** Part of the memory of the process. The values in a body take five times its size, so that all take a third. */
const MEMORY_SHARE = 1 / 16;
/** On large machines: two of the largest bodies of search, so that ten that arrive at once take 400 MB, not gigabytes. */
const BYTES_MAX = 128 * 1024 ** 2;
/** Part of the budget that one client network may fill. */
const CLIENT_SHARE = 1 / 2;
/** Smaller bodies do not count: as much may wait for any reader. */
const SMALL_BYTES = 256 * 1024;

export class BodyBudget {
  readonly #bytesMax: number;
  #bytes = 0;
  /** By client network; those without a body are absent. */
  readonly #byClient = new Map<string, number>();

  /** @param bytesMax default: a 16th of the memory of this process, at most 128 MiB */
  constructor(bytesMax = Math.min(BYTES_MAX, MEMORY_SHARE * processMemory())) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of all bodies that are kept now, without small ones. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The body of one request. Close it when the request is over. */
  open(clientAddress: string): BodyShare {
    return new BodyShare(this, clientAddress);
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
  readonly #address: string;
  /** Most bodies are small, and need none. */
  #client: string | undefined;
  #bytes = 0;

  constructor(budget: BodyBudget, address: string) {
    this.#budget = budget;
    this.#address = address;
  }

  /** Whether the body may have so many bytes in memory. */
  grow(bytes: number): boolean {
    if (bytes <= SMALL_BYTES || bytes <= this.#bytes) return true;
    this.#client ??= clientKey(this.#address);
    if (!this.#budget.take(this.#client, this.#bytes, bytes - this.#bytes)) return false;
    this.#bytes = bytes;
    return true;
  }

  close(): void {
    if (this.#client !== undefined && this.#bytes > 0) this.#budget.giveBack(this.#client, this.#bytes);
    this.#bytes = 0;
  }
}
