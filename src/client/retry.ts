/** When a request is sent again, and after which pause. */
import { type ConnectionFailed, ServiceError, Throttled } from './errors.js';

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;

export interface RetryOptions {
  /** How often a request is sent at most; 1 never repeats. Default: 4. */
  readonly attempts?: number;
  /** Middle of the first pause; each further one is twice as long. Default: 500. */
  readonly firstPauseMs?: number;
  /** Longest pause. A service that asks for a longer one is not asked again. Default: 30,000. */
  readonly pauseMsMax?: number;
}

/** Statuses of a service, or of a proxy before it, that a later try may not meet. */
const PASSING = new Set([502, 503, 504]);

/**
 * Milliseconds until the next try; `undefined` when there is none.
 *
 * @param attempt number of the try that failed, from 1
 * @param isRepeatable whether doing it twice is as good as doing it once
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
  return PASSING.has(error.status) ? Math.max(backoff(attempt, options), retryAfterMs ?? 0) : undefined;
}

/** Doubles with each try, and differs by half from client to client, lest they all come back at once. */
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
