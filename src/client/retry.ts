/** Decides whether a failed request is sent again, and after which pause. */
import { type ConnectionFailed, ServiceError, Throttled } from './errors.js';

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;

export interface RetryOptions {
  /** Maximum number of attempts; 1 disables retries. Default: 4. */
  readonly attempts?: number;
  /** Average length of the first pause; each further pause is twice as long. Default: 500. */
  readonly firstPauseMs?: number;
  /** Longest pause. If `Retry-After` is longer, the request is not retried. Default: 30,000. */
  readonly pauseMsMax?: number;
}

/** Temporary failures of a service or of its proxy. */
const TEMPORARY = new Set([502, 503, 504]);

/**
 * Milliseconds until the next attempt; `undefined` if the request is not retried.
 *
 * @param attempt number of the failed attempt, from 1
 * @param isRepeatable whether the request is idempotent
 */
export function retryPause(
  error: ServiceError | ConnectionFailed,
  attempt: number,
  isRepeatable: boolean,
  options: RetryOptions,
): number | undefined {
  const { attempts = ATTEMPTS, pauseMsMax = PAUSE_MS_MAX } = options;
  if (attempt >= attempts) return undefined;
  if (!(error instanceof ServiceError))
    return isRepeatable || !error.mayBeReceived ? backoff(attempt, options) : undefined;
  if (!isRepeatable) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined && retryAfterMs > pauseMsMax) return undefined;
  if (error instanceof Throttled) return retryAfterMs;
  return TEMPORARY.has(error.status) ? Math.max(backoff(attempt, options), retryAfterMs ?? 0) : undefined;
}

/** Exponential back-off with ±50 % jitter, so that clients do not retry in step. */
function backoff(
  attempt: number,
  { firstPauseMs = FIRST_PAUSE_MS, pauseMsMax = PAUSE_MS_MAX }: RetryOptions,
) {
  return Math.min(pauseMsMax, firstPauseMs * 2 ** (attempt - 1)) * (0.5 + Math.random());
}

/** `Retry-After` in milliseconds: a number of seconds, or a date. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
