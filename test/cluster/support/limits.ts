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
/** What a probe of the limit saw. */
interface Probed {
  readonly accepted: number;
  /** Whether each request was counted once: none failed, and the proxy repeated none. */
  readonly isExact: boolean;
}

const UNKNOWN = 'urn:c2pa:00000000-0000-4000-8000-000000000000';

export class LimitProbe {
  readonly #cluster: Cluster;
  readonly #ledger: Ledger;
  readonly #random: Random;
  /** Whether no instance or primary is killed. */
  readonly #isCalm: () => boolean;
  /** Changes whenever Redis is killed or has come back. */
  #disturbances = 0;
  #isOff = false;
  #isOver = false;
  #running: Promise<void> | undefined;

  constructor(cluster: Cluster, ledger: Ledger, seed: number, isCalm: () => boolean) {
    this.#isCalm = isCalm;
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
    await this.#cluster.until('limits are exact', async () => (await this.#probe())?.accepted === LIMIT);
    this.#isOff = false;
    this.#disturbances += 1;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const before = this.#disturbances;
      const probed = this.#isOff ? undefined : await this.#probe();
      if (probed !== undefined && before === this.#disturbances) {
        const { accepted, isExact } = probed;
        // A request that an instance counted before it failed is not accepted, or another instance counts it, too.
        const isWrong = isExact ? accepted !== LIMIT : accepted > LIMIT;
        if (isWrong) this.#ledger.inexact.push(`${accepted} of ${LIMIT} at ${new Date().toISOString()}`);
        else if (isExact) this.#ledger.exactLimits += 1;
      }
      await pause(PAUSE_MS);
    }
  }

  /** Requests of a new client; `undefined` if its minute ended meanwhile. */
  async #probe(): Promise<Probed | undefined> {
    const agent = this.#cluster.client(randomAddress(this.#random));
    const store = new StoreClient(this.#cluster.urlOf('store'), {
      retry: { attempts: 1 },
      dispatcher: agent,
    });
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const failures = this.#ledger.unavailable.length;
    let [sent, accepted, wasCalm] = [0, 0, this.#isCalm()];
    const one = async () => {
      while (sent < REQUESTS) {
        sent += 1;
        try {
          await store.getManifestById(UNKNOWN);
        } catch (error) {
          if (error instanceof NotFound) accepted += 1;
          else if (!(error instanceof Throttled)) this.#ledger.judge('a limited request', error);
        }
        wasCalm &&= this.#isCalm();
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, one));
    await agent.destroy();
    if (minute !== Math.floor(Date.now() / MINUTE_MS)) return undefined;
    return { accepted, isExact: wasCalm && failures === this.#ledger.unavailable.length };
  }
}
