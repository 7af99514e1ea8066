/** Acknowledged transactions of the store, and whether the last one could be written. */
import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { LastWrite } from '../../../storage/data/last-write.js';
import { commitDurably } from '../../../storage/database/commit.js';
import type { Db, Tables } from '../../../storage/database/tables.js';
import { isUnavailable, isWriteFailure } from '../../../storage/database/unavailable.js';

/**
 * Bytes that a readiness probe writes: more than the rows of an upload. A transaction of one page can fit into the last free
 * part of SQLite's write-ahead log where no upload does.
 */
const PROBE_BYTES = 256 * 1024;
const PROBE_ROW = 0;

export class Commits {
  readonly #db: Db;
  readonly #last: LastWrite = new LastWrite(() => this.#probe());

  constructor(db: Db) {
    this.#db = db;
  }

  /** Runs a transaction. When the promise resolves, it is on the disk. */
  async run<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    try {
      const result = await commitDurably(this.#db, work);
      this.#last.succeeded();
      return result;
    } catch (error) {
      // Other errors refuse the content of the transaction.
      if (isWriteFailure(error)) this.#last.failed(error, 'the database could not be written');
      else if (isUnavailable(error))
        this.#last.failed(error, 'the database did not commit the last write in time');
      throw error;
    }
  }

  /** Why the last transaction could not be written; `undefined` if it could. */
  problem(): Promise<string | undefined> {
    return this.#last.problem();
  }

  /** Two transactions: pages that the same transaction frees are not written. */
  async #probe(): Promise<void> {
    // Random text: PostgreSQL compresses other text.
    const filler = randomBytes(PROBE_BYTES / 2).toString('hex');
    await this.run(async (transaction) => {
      await transaction.deleteFrom('installation').where('id', '=', PROBE_ROW).execute();
      await transaction.insertInto('installation').values({ id: PROBE_ROW, name: filler }).execute();
    });
    await this.run((transaction) =>
      transaction.deleteFrom('installation').where('id', '=', PROBE_ROW).execute(),
    );
  }
}
