/** Which of several processes that share an index follows the hubs. */
export interface Leadership {
  /**
   * Calls `lead` each time this process becomes the one that follows, with a signal that ends when it no longer is, until
   * `stop`. Another process may follow once the promise of `lead` has settled or this process has ended.
   */
  run(lead: (term: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void>;
}
