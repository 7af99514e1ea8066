/** Bounds the time of questions to a database. */
import { StorageUnavailable } from '../data/unavailable.js';

/** @throws {StorageUnavailable} if it takes too long */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new StorageUnavailable(`the database did not respond within ${limitMs} ms`);
    timer = setTimeout(() => reject(error), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
