/** Runs two tasks on one file concurrently. */

type Task<T> = (signal: AbortSignal) => Promise<T>;

/** If one task fails, the other is aborted. Rejects after both have ended. */
export async function runBoth<A, B>(first: Task<A>, second: Task<B>): Promise<[A, B]> {
  const failure = new AbortController();
  const both = [first(failure.signal), second(failure.signal)] as const;
  try {
    return await Promise.all(both);
  } catch (error) {
    failure.abort(error);
    await Promise.allSettled(both);
    throw error;
  }
}
