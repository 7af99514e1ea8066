/** Opens the engine of the search, with the version of its folder checked before. */
import { mkdir } from 'node:fs/promises';
import { FormatRefused, prepareData } from '../data/format.js';
import { native, type SearchEngine, type SearchOptions } from '../native.js';

/** What the addon says of a location that is none, and of an index that a newer version has written. */
const REFUSED = 'InvalidArg';

/**
 * @param location `memory://`, `lmdb:///path` or `usearch:///path`
 * @throws {FormatRefused} if the location is none, or its data is of a newer version
 * @throws if it can't be used, or is in use by another process
 */
export async function openEngine(location: string, options?: SearchOptions): Promise<SearchEngine> {
  const folder = searchFolder(location);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await prepareData('search', folder);
  }
  try {
    return await native.openSearchEngine(location, options);
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === REFUSED;
    throw isRefused ? new FormatRefused(error.message) : error;
  }
}

/** Where a location keeps its indexes; `undefined` if only in memory, or if it is none. */
export function searchFolder(location: string): string | undefined {
  return /^(?:lmdb|usearch):\/\/(\/.+)$/s.exec(location)?.[1];
}
