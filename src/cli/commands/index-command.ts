/** `isccd index ...`: similarity indexes in a local folder or of a service. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '../../client/errors.js';
import type { SearchApi } from '../../client/search-api.js';
import { SearchClient } from '../../client/search-client.js';
import { searchFolder } from '../../services/search/engine/open.js';
import { type ImportStep, importFrom } from '../../services/search/import.js';
import { InProcessSearch } from '../../services/search/in-process.js';
import { FormatRefused } from '../../storage/data/format.js';
import { indexArgument, isccIdArgument, refuseHostAndPort } from '../input/arguments.js';
import { EntryFiles, type EntryOptions, STEP_ENTRIES } from '../input/entries.js';
import { assetBar } from '../terminal/asset-bar.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';
import { entryTable, indexTable } from '../terminal/index-tables.js';
import { printJson } from '../terminal/lines.js';
import { serviceFailure } from '../terminal/service-failure.js';

export interface Where {
  /** URL of a service, location of an engine, or folder. */
  readonly at: string;
  readonly apiKey?: string;
}

/** Commands that show a table on a terminal. */
export interface Shown extends Where {
  readonly json?: boolean;
}

export async function create(name: string, where: Where): Promise<void> {
  const index = indexArgument(name);
  await using(where, async (service) => printJson(await service.createIndex(index)), { mayBeNew: true });
}

export async function list(options: Shown): Promise<void> {
  await using(options, async (service) => {
    const indexes = await service.listIndexes();
    if (showsTable(options)) process.stdout.write(indexTable(indexes, painter(process.stdout)));
    else for (const index of indexes) printJson(index);
  });
}

/**
 * Deletes assets of an index, or without ISCC-IDs the index.
 *
 * @throws {CommandFailed} at the end, if assets are missing
 */
export async function remove(name: string, isccIds: readonly string[], where: Where): Promise<void> {
  const [index, ids] = [indexArgument(name), [...new Set(isccIds.map(isccIdArgument))]];
  await using(where, async (service) => {
    if (ids.length === 0) return service.deleteIndex(index);
    const missing: string[] = [];
    for (let start = 0; start < ids.length; start += STEP_ENTRIES) {
      const results = await service.deleteAssets(index, ids.slice(start, start + STEP_ENTRIES));
      for (const { iscc_id, status } of results) if (status === 'not_found') missing.push(iscc_id);
    }
    printJson({ deleted: ids.length - missing.length, missing });
    if (missing.length > 0)
      throw new CommandFailed(`${missing.length} of ${ids.length} assets are not in index ${index}`);
  });
}

/** Adds all entries of files; prints the numbers of new and replaced entries. */
export async function add(
  name: string,
  files: readonly string[],
  where: Where & EntryOptions,
): Promise<void> {
  await using(where, async (service) => {
    const source = await EntryFiles.read(files, where);
    const bar = assetBar();
    bar.start(source.size, 0);
    let added = 0;
    try {
      const step = ({ entries }: ImportStep) => {
        added += entries.length;
        bar.increment(entries.length);
      };
      const { created, updated } = await importFrom(source, service, name, step);
      printJson({ created, updated });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // A step is one request, which is added completely or not at all.
      const [first, last] = [added + 1, Math.min(added + STEP_ENTRIES, source.size)];
      throw new CommandFailed(`entries ${first} to ${last}: ${error.message}; the entries before were added`);
    } finally {
      bar.stop();
    }
  });
}

export async function get(name: string, isccId: string, options: Shown): Promise<void> {
  const [index, id] = [indexArgument(name), isccIdArgument(isccId)];
  await using(options, async (service) => {
    const entry = await service.getAsset(index, id);
    if (showsTable(options)) process.stdout.write(entryTable(entry, painter(process.stdout)));
    else printJson(entry);
  });
}

/** Whether standard output is a terminal and the user has not asked for JSON. */
export function showsTable({ json }: Shown): boolean {
  return process.stdout.isTTY === true && !json;
}

/** Declares metadata paths if there are any, or `none`; prints the declared ones with their states. */
export async function paths(
  name: string,
  wanted: readonly string[],
  options: Where & { readonly none?: boolean },
): Promise<void> {
  if (options.none && wanted.length > 0)
    throw new CommandFailed('--none cannot be combined with paths', EXIT_CONFIGURATION);
  const isChange = options.none || wanted.length > 0;
  await using(options, async (service) => {
    const { paths } = isChange ? await service.putPaths(name, wanted) : await service.getPaths(name);
    for (const path of paths) printJson(path);
  });
}

export async function using(
  where: Where,
  work: (service: SearchApi) => Promise<void>,
  { mayBeNew = false } = {},
): Promise<void> {
  const service = await open(where, mayBeNew);
  try {
    await work(service);
  } catch (error) {
    throw serviceFailure(error, { variable: 'ISCCD_API_KEY', option: '--api-key' });
  } finally {
    await service.close();
  }
}

async function open({ at, apiKey }: Where, mayBeNew: boolean): Promise<SearchApi> {
  if (/^https?:\/\//i.test(at)) return new SearchClient(at, apiKey === undefined ? {} : { apiKey });
  refuseHostAndPort(at);
  const location = /^[a-z][\w+.-]*:\/\//i.test(at) ? at : `usearch://${path.resolve(at)}`;
  const folder = searchFolder(location);
  if (!mayBeNew && folder !== undefined && !existsSync(folder)) {
    throw new CommandFailed(`no indexes at ${folder}; create one with isccd index create`);
  }
  try {
    return await InProcessSearch.open(location, apiKey);
  } catch (error) {
    throw new CommandFailed(reason(error), error instanceof FormatRefused ? EXIT_CONFIGURATION : 1);
  }
}

/** All items of a list that a service returns in pages. `next` of a page is where the following one begins. */
export async function allPages<Item>(
  read: (
    after: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (let after: string | undefined, isDone = false; !isDone; ) {
    const { items, next } = await read(after);
    all.push(...items);
    after = next ?? undefined;
    isDone = next === null;
  }
  return all;
}
