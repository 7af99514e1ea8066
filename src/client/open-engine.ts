/** Opens the engine of the search, with the version of its folder checked before. */
import { readdir } from 'node:fs/promises';
import { makeFolder } from '../data/folder.js';
import { FORMAT_FILE, FormatRefused, prepareData } from '../data/format.js';
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
    makeFolder(folder);
    await refuseForeign(folder);
    await prepareData('search', folder);
  }
  try {
    return await native.openSearchEngine(location, options);
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === REFUSED;
    throw isRefused ? new FormatRefused(error.message) : error;
  }
}

/** At the root of a file system. */
const HARMLESS = ['lost+found'];
/** What a folder had before it told its version. */
const LOCK = '.lock';

/** Indexes are folders among others: in a folder with other things, nobody would know which are which. */
async function refuseForeign(folder: string): Promise<void> {
  const entries = await readdir(folder);
  const isOurs = entries.includes(FORMAT_FILE) || entries.includes(LOCK);
  const foreign = entries.find((entry) => !HARMLESS.includes(entry));
  if (isOurs || foreign === undefined) return;
  throw new FormatRefused(
    `${folder} holds other things than indexes, such as ${foreign}: give an empty folder`,
  );
}

/** Where a location keeps its indexes; `undefined` if only in memory, or if it is none. */
export function searchFolder(location: string): string | undefined {
  return /^(?:lmdb|usearch):\/\/(\/.+)$/s.exec(location)?.[1];
}
