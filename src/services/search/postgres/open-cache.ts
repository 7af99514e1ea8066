/** Opens the folder with the cached indexes of a database; an unusable one is replaced. */
import { rm } from 'node:fs/promises';
import { isNativeError, type SearchEngine, type SearchOptions } from '../../../native.js';
import type { Logger } from '../../../platform/observe/log.js';
import { openEngine } from '../engine/open.js';

/** @throws if another process uses the folder, or it cannot be written */
export async function openCache(
  folder: string,
  options: SearchOptions,
  log: Logger | undefined,
): Promise<SearchEngine> {
  const location = `usearch://${folder}`;
  try {
    return await openEngine(location, options);
  } catch (error) {
    if (isNativeError(error, 'IN_USE')) throw error;
    log?.warn({ err: error, folder }, 'the cache of the indexes is unusable; loading them from the database');
    await rm(folder, { recursive: true, force: true });
    return openEngine(location, options);
  }
}
