/** Acknowledged transactions of the store, and whether the last one could be written. */
import type { Transaction } from 'kysely';
import { LastWrite } from '../../../storage/data/last-write.js';
import { commitDurably } from '../../../storage/database/commit.js';
import type { Db, Tables } from '../../../storage/database/tables.js';
import { isUnavailable, isWriteFailure } from '../../../storage/database/unavailable.js';
import { lockFeed } from '../feed.js';

export class Commits {
  readonly #db: Db;
  readonly #last: LastWrite = new LastWrite(() => this.run((transaction) => lockFeed(transaction, 0)));

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
}
