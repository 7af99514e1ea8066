/** Opens the search engine after checking the format version of its folder. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isNativeError, native, type SearchEngine, type SearchOptions } from '../../../native.js';
import { makeFolder } from '../../../storage/data/folder.js';
import { folderName } from '../../../storage/data/folder-name.js';
import { FORMAT_FILE, FormatRefused, prepareData } from '../../../storage/data/format.js';

/**
 * @param location `memory://`, `lmdb:///path` or `usearch:///path`
 * @throws {FormatRefused} if the location is invalid or a newer version wrote its data
 * @throws if the location is unusable or locked by another process
 */
export async function openEngine(location: string, options?: SearchOptions): Promise<SearchEngine> {
  const folder = searchFolder(location);
  if (folder !== undefined) {
    makeFolder(folder);
    await refuseForeignFolder(folder);
    await prepareData('search', folder);
  }
  try {
    return await native.openSearchEngine(location, options);
  } catch (error) {
    const isRefusal = isNativeError(error, 'INVALID_ARGUMENT') || isNativeError(error, 'NEWER_FORMAT');
    throw isRefusal ? new FormatRefused(error.message) : error;
  }
}

/** Holds the API keys of the service. `isccd index key` may have written it before the service ran. */
export const KEY_FILE = 'keys.json';
/** The aliases of indexes, which the engine writes. */
export const ALIAS_FILE = 'aliases.json';
/** Standing queries, and what is recorded for them. */
export const WATCH_FILE = 'watches.sqlite';
/** The second is found at the root of a file system. */
const IGNORED_ENTRIES = [KEY_FILE, 'lost+found'];
/** Present in search folders that predate the FORMAT file. */
const LOCK_FILE = '.lock';

/** Every index is a subfolder, so a folder with other content would mix indexes with unrelated folders. */
async function refuseForeignFolder(folder: string): Promise<void> {
  const entries = await readdir(folder);
  const isOurs = entries.includes(FORMAT_FILE) || entries.includes(LOCK_FILE);
  const foreign = entries.find((entry) => !IGNORED_ENTRIES.includes(entry));
  if (isOurs || foreign === undefined) return;
  throw new FormatRefused(`${folder} is not a search folder: it contains ${foreign}; choose an empty folder`);
}

/** One line: the id of the folder. Stores keep ledgers about its indexes under this id. */
export const ID_FILE = 'ID';
/** Start of the ids of indexes in memory, which end with the process. */
export const MEMORY_ID = 'memory:';
/** Start of the ids of indexes in a database, which several processes change. */
export const SHARED_ID = 'postgresql:';
/** Start of the ids of indexes in OpenSearch, which several processes change. */
export const OPENSEARCH_ID = 'opensearch:';

/** Id of the indexes at a location that {@link openEngine} has opened. It stays the same after a restart. */
export async function locationId(location: string): Promise<string> {
  const folder = searchFolder(location);
  return folder === undefined
    ? `${MEMORY_ID}${randomUUID()}`
    : `local:${await folderName(path.join(folder, ID_FILE))}`;
}

/** The folder that holds the indexes of a location; `undefined` for `memory://` and invalid locations. */
export function searchFolder(location: string): string | undefined {
  return /^(?:lmdb|usearch):\/\/(\/.+)$/s.exec(location)?.[1];
}
