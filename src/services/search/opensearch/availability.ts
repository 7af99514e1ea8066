/** Whether OpenSearch serves requests, for `/readyz`. */
import type { Logger } from '../../../platform/observe/log.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import type { Client } from './client.js';
import { servesAll } from './health.js';
import type { OpenSearchLocation } from './location.js';

/** Pause between checks, so that a node that stops responding is noticed without requests. */
const CHECK_MS = 5000;
/** Pause before unreachable nodes are tried again. */
const RETRY_MS = 500;

export interface AvailabilityOptions {
  readonly client: Client;
  readonly location: OpenSearchLocation;
  readonly log: Logger | undefined;
  /** Reads what each request needs. @throws {StorageUnavailable} if it can't be read */
  readonly check: () => Promise<void>;
}

export class Availability {
  readonly #options: AvailabilityOptions;
  #timer: NodeJS.Timeout | undefined;
  #isAvailable = true;
  #isChecking = false;
  #isClosed = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#checkIn(CHECK_MS);
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /**
   * Notes that OpenSearch does not serve a request, and asks for its health until it is well. A success says little: a node
   * may serve some shards while others have none.
   */
  failed(error: unknown): void {
    if (!this.#isAvailable || this.#isClosed) return;
    this.#options.log?.error({ err: error }, 'OpenSearch is unavailable');
    this.#isAvailable = false;
    if (!this.#isChecking) this.#checkIn(RETRY_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #checkIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#check(), ms).unref();
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    try {
      await this.#tryAll();
    } catch (error) {
      if (error instanceof StorageUnavailable) this.failed(error);
    }
    this.#isChecking = false;
    this.#checkIn(this.#isAvailable ? CHECK_MS : RETRY_MS);
  }

  async #tryAll(): Promise<void> {
    const { client, location, log, check } = this.#options;
    // Asked while available, too: a node without a cluster manager serves what `check` reads, but no changes.
    const isWhole = await servesAll(client, location);
    // The shard of a new index has no copy for a moment, so only who was unavailable waits for all shards.
    if (!this.#isAvailable && !isWhole) return;
    await check();
    if (this.#isAvailable) return;
    this.#isAvailable = true;
    log?.info('OpenSearch is available again');
  }
}
