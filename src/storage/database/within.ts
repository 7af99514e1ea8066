/** Bounds the time of questions to a database. */
import { ServerSilent } from './server-refused.js';

/** @throws {ServerSilent} if it takes too long */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // The error only when it is needed: its stack takes longer than the rest, and one question precedes every search.
    const expire = () => reject(new ServerSilent(`the database did not respond within ${limitMs} ms`));
    timer = setTimeout(expire, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
