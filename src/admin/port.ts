/** What the dashboard asks of others. */

/** The operator's three actions. Keys are those of the manifests' rows. */
export interface StoreActions {
  /** Deletes live manifests like the DELETE route, and begins to withdraw their declarations. */
  removeMany(keys: readonly number[]): Promise<{ readonly deleted: number; readonly skipped: number }>;
  /** Frees the ids of deleted manifests whose declaration is not `declared`. */
  release(keys: readonly number[]): Promise<{ readonly released: number; readonly skipped: number }>;
  /** Tries pending and failed declarations now, and unfinished withdrawals. */
  retry(
    keys: readonly number[],
  ): Promise<{ readonly retried: number; readonly waiting: number; readonly skipped: number }>;
}

/** Counts a request of a client; gives 0 if it may go on, else the seconds to wait. */
export interface LoginThrottle {
  take(kind: 'login', clientAddress: string): number | Promise<number>;
}
