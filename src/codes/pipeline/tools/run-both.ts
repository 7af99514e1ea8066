/** Two pieces of work on one file, side by side. */

type Work<T> = (signal: AbortSignal) => Promise<T>;

/** What fails first ends the other, and both have ended when this rejects. */
export async function runBoth<A, B>(first: Work<A>, second: Work<B>): Promise<[A, B]> {
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
