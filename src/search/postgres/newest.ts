/** The number of the last change: the question before every read, over a connection of its own. */
import type pg from 'pg';
import { StorageUnavailable } from '../../data/unavailable.js';
import type { FailoverPool } from '../../database/failover-pool.js';

/** A server that takes longer to return one row is unreachable. */
const ASK_MS_MAX = 2000;
/** Named, so that the server parses it once. */
const QUESTION = {
  name: 'isccd-newest',
  text: 'select sequence from feed where id = 1',
  rowMode: 'array',
} as const;

export class Newest {
  readonly #pool: FailoverPool;
  #connection: Promise<pg.PoolClient> | undefined;

  constructor(pool: FailoverPool) {
    this.#pool = pool;
  }

  /** @throws {StorageUnavailable} if the server does not respond in time */
  async sequence(): Promise<number> {
    const isNew = this.#connection === undefined;
    try {
      return await this.#ask();
    } catch (error) {
      if (isNew || error instanceof StorageUnavailable) throw error;
      // Perhaps only the connection broke.
      return this.#ask();
    }
  }

  close(): void {
    if (this.#connection !== undefined) this.#drop(this.#connection);
  }

  async #ask(): Promise<number> {
    this.#connection ??= this.#pool.connect();
    const connection = this.#connection;
    try {
      const { rows } = await within(
        ASK_MS_MAX,
        connection.then((client) => client.query<[number]>(QUESTION)),
      );
      return (rows[0] as [number])[0];
    } catch (error) {
      this.#drop(connection);
      throw error;
    }
  }

  #drop(connection: Promise<pg.PoolClient>): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    connection.then(
      (client) => client.release(true),
      () => {},
    );
  }
}

/** @throws {StorageUnavailable} if it takes too long */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new StorageUnavailable(`the database did not respond within ${limitMs} ms`);
    timer = setTimeout(() => reject(error), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
