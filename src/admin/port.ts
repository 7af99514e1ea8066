/** Ports of the dashboard. */

/** The operator's three actions. Keys are those of the manifests' rows. */
export interface StoreActions {
  /** Deletes live manifests like the DELETE route, and starts to withdraw their declarations. */
  removeMany(keys: readonly number[]): Promise<{ readonly deleted: number; readonly skipped: number }>;
  /** Frees the ids of deleted manifests whose declaration is not `declared`. */
  release(keys: readonly number[]): Promise<{ readonly released: number; readonly skipped: number }>;
  /** Attempts pending and failed declarations and unfinished withdrawals now. */
  retry(
    keys: readonly number[],
  ): Promise<{ readonly retried: number; readonly waiting: number; readonly skipped: number }>;
}

/** Counts a login attempt of a client. Returns 0 if it is allowed, else the seconds to wait. */
export interface LoginThrottle {
  take(kind: 'login', clientAddress: string): number | Promise<number>;
}
