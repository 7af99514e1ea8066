/** Clients that exceed a limit through the proxy: the instances together accept exactly as many requests as it allows. */
import { setTimeout as pause } from 'node:timers/promises';
import { NotFound, Throttled } from '../../../src/client/errors.js';
import { StoreClient } from '../../../src/client/index.js';
import { Random } from '../../support/torture.js';
import type { Cluster } from './cluster.js';
import type { Ledger } from './ledger.js';
import { randomAddress } from './load.js';

/** `MSTORE_RATE_READ` by default: 120 per minute. */
const LIMIT = 120;
const REQUESTS = 140;
const CONCURRENT = 8;
const PAUSE_MS = 1500;
const MINUTE_MS = 60_000;
const UNKNOWN = 'urn:c2pa:00000000-0000-4000-8000-000000000000';

export class LimitProbe {
  readonly #cluster: Cluster;
  readonly #ledger: Ledger;
  readonly #random: Random;
  /** Changes whenever Redis is killed or has come back. */
  #disturbances = 0;
  #isOff = false;
  #isOver = false;
  #running: Promise<void> | undefined;

  constructor(cluster: Cluster, ledger: Ledger, seed: number) {
    this.#cluster = cluster;
    this.#ledger = ledger;
    this.#random = new Random(seed, 0x7e57);
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** From now on, limits need not be exact. */
  suspend(): void {
    this.#isOff = true;
    this.#disturbances += 1;
  }

  /** Waits until all instances count in Redis again. */
  async resume(): Promise<void> {
    await this.#cluster.until('limits are exact', async () => (await this.#accepted()) === LIMIT);
    this.#isOff = false;
    this.#disturbances += 1;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const before = this.#disturbances;
      const failures = this.#ledger.unavailable.length;
      const accepted = this.#isOff ? undefined : await this.#accepted();
      if (accepted !== undefined && before === this.#disturbances) {
        // A request that an instance counted before it was killed is not accepted.
        const isWrong = failures === this.#ledger.unavailable.length ? accepted !== LIMIT : accepted > LIMIT;
        if (isWrong) this.#ledger.inexact.push(`${accepted} of ${LIMIT} at ${new Date().toISOString()}`);
        else this.#ledger.exactLimits += 1;
      }
      await pause(PAUSE_MS);
    }
  }

  /** Requests of a new client that were accepted; `undefined` if its minute ended meanwhile. */
  async #accepted(): Promise<number | undefined> {
    const agent = this.#cluster.client(randomAddress(this.#random));
    const store = new StoreClient(this.#cluster.urlOf('store'), {
      retry: { attempts: 1 },
      dispatcher: agent,
    });
    const minute = Math.floor(Date.now() / MINUTE_MS);
    let [sent, accepted] = [0, 0];
    const one = async () => {
      while (sent < REQUESTS) {
        sent += 1;
        try {
          await store.getManifestById(UNKNOWN);
        } catch (error) {
          if (error instanceof NotFound) accepted += 1;
          else if (!(error instanceof Throttled)) this.#ledger.judge('a limited request', error);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, one));
    await agent.destroy();
    return minute === Math.floor(Date.now() / MINUTE_MS) ? accepted : undefined;
  }
}
