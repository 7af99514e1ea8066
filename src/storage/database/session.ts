/** Settings of sessions that write, so that a lost or stopped process does not block the others. */

/** For large batches. */
export const QUERY_MS_MAX = 120_000;

/**
 * Most time that a write waits for the lock of the feed, and for its commit. A commit waits for the synchronous standby, which
 * may be down; whether it was made is unknown then.
 */
export const WRITE_MS_MAX = 15_000;

/**
 * Ends a transaction whose process is unreachable: it holds the lock of the feed, so that all other writers wait for it.
 * A writer that waits longer than that gives up.
 */
export const WRITER_SESSION = {
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  lock_timeout: '40s',
  // A role or a database may have a stricter default: concurrent writes would then fail instead of waiting.
  default_transaction_isolation: 'read committed',
} as const;
