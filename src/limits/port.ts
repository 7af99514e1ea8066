/** How often a client may do something. Engines: in this process; one that processes share can follow. */

export interface RateLimiter {
  /**
   * Counts one request of a client.
   *
   * @param kind what is limited: each kind counts on its own
   * @returns 0 if it may go on, else the whole seconds after which it is worth to try again, at least 1
   */
  take(kind: string, client: string): number | Promise<number>;
}
