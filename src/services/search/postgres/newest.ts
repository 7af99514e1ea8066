/** The last change, read before every search over a connection of its own. */
import type pg from 'pg';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import type { FailoverPool } from '../../../storage/database/failover-pool.js';
import { within } from '../../../storage/database/within.js';
import type { Point } from '../../../storage/feed/history.js';
import { NewestQuery } from './newest-query.js';

/** A server that takes longer to return one row is unreachable. */
const QUERY_MS_MAX = 2000;

interface UsedConnection {
  readonly client: Promise<pg.PoolClient>;
  /** Whether it has sent the query. */
  isUsed: boolean;
}

export class Newest {
  readonly #pool: FailoverPool;
  #connection: UsedConnection | undefined;

  constructor(pool: FailoverPool) {
    this.#pool = pool;
  }

  /** @throws {StorageUnavailable} if the server does not respond in time */
  async point(): Promise<Point> {
    const isNew = this.#connection === undefined;
    try {
      return await this.#query();
    } catch (error) {
      if (isNew || error instanceof StorageUnavailable) throw error;
      // Perhaps only the connection broke.
      return this.#query();
    }
  }

  close(): void {
    if (this.#connection !== undefined) this.#drop(this.#connection);
  }

  async #query(): Promise<Point> {
    this.#connection ??= { client: this.#pool.connect(), isUsed: false };
    const connection = this.#connection;
    const answer = async () => {
      const client = await connection.client;
      const query = new NewestQuery(connection.isUsed);
      connection.isUsed = true;
      return client.query(query).answer;
    };
    try {
      return await within(QUERY_MS_MAX, answer());
    } catch (error) {
      this.#drop(connection);
      throw error;
    }
  }

  #drop(connection: UsedConnection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    connection.client.then(
      (client) => client.release(true),
      () => {},
    );
  }
}
