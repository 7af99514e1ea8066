/** Time limits of work, and the clock for what this process remembers for a while. */

/** Milliseconds of a clock that no one sets: a wall clock that was ahead would keep what was cached for as long. */
export const monotonicMs = (): number => performance.now();

/**
 * Runs `work` with a signal that aborts with `signal`, or after a time with a `TimeoutError`.
 *
 * `AbortSignal.any` with `AbortSignal.timeout` does not do: on Node 20 the timeout can be garbage-collected and never fire.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const stop = () => end.abort(signal?.reason);
  const timeout = () =>
    end.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const timer = setTimeout(timeout, limitMs);
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Whether work ends within a time. If not, it goes on and its outcome is ignored. @throws the error of work that fails in time */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isDone = work.then(() => true);
  try {
    return await Promise.race([isDone, late]);
  } finally {
    clearTimeout(timer);
    isDone.catch(() => {});
  }
}
