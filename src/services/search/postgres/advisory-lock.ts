/** The process that holds a lock in the database follows the hubs. The lock ends with its connection, also after a crash. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Leadership } from '../../../network/leadership.js';
import type { Logger } from '../../../platform/observe/log.js';
import type { FailoverPool } from '../../../storage/database/failover-pool.js';
import { within } from '../../../storage/database/within.js';

/** Pause between two attempts to get the lock, and between two checks that it is still held. */
const PAUSE_MS = 1000;
/** A database that takes longer has perhaps ended the connection, and with it the lock. */
const ANSWER_MS_MAX = 5000;

export interface AdvisoryLockOptions {
  readonly pool: FailoverPool;
  /** The schema is added to it: databases have one space of locks. */
  readonly name: string;
  readonly log: Logger | undefined;
}

export class AdvisoryLock implements Leadership {
  readonly #options: AdvisoryLockOptions;

  constructor(options: AdvisoryLockOptions) {
    this.#options = options;
  }

  async run(lead: (term: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
    const { log } = this.#options;
    while (!stop.aborted) {
      try {
        await this.#connected((client, term) => this.#lead(client, term, lead), stop);
      } catch (error) {
        if (!stop.aborted)
          log?.warn({ err: error }, 'the lock of the network was lost or could not be requested');
      }
      await pause(stop);
    }
  }

  /**
   * Runs `work` if the lock is free, otherwise not.
   *
   * @returns whether it ran
   */
  async runAlone(work: () => Promise<void>): Promise<boolean> {
    return this.#connected(async (client) => {
      const isFree = await this.#request(client);
      if (isFree) await work();
      return isFree;
    });
  }

  /** Waits for the lock, then leads until the term ends. The connection keeps the lock until all work has ended. */
  async #lead(
    client: pg.PoolClient,
    { signal, end }: Term,
    lead: (term: AbortSignal) => Promise<void>,
  ): Promise<void> {
    while (!(await this.#request(client))) {
      await pause(signal);
      if (signal.aborted) return;
    }
    const watch = async () => {
      for (; !signal.aborted; await pause(signal)) await within(ANSWER_MS_MAX, client.query('select 1'));
    };
    const ends = [lead(signal).finally(end), watch().finally(end)];
    const failed = (await Promise.allSettled(ends)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #request(client: pg.PoolClient): Promise<boolean> {
    const { rows } = await within(
      ANSWER_MS_MAX,
      client.query<{ held: boolean }>(
        `select pg_try_advisory_lock(hashtextextended(current_schema() || '/' || $1, 0)) as held`,
        [this.#options.name],
      ),
    );
    return rows[0]?.held === true;
  }

  /** Runs `work` with a connection of its own, which is closed afterwards. The term ends with the connection or `stop`. */
  async #connected<T>(
    work: (client: pg.PoolClient, term: Term) => Promise<T>,
    stop?: AbortSignal,
  ): Promise<T> {
    const client = await this.#options.pool.connect();
    const term = new AbortController();
    const end = () => term.abort();
    client.on('error', end).on('end', end);
    stop?.addEventListener('abort', end, { once: true });
    if (stop?.aborted) end();
    try {
      return await work(client, { signal: term.signal, end });
    } finally {
      stop?.removeEventListener('abort', end);
      client.off('error', end).off('end', end);
      client.release(true);
    }
  }
}

/** While a process follows. */
interface Term {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
}
