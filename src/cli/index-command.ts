/** `isccd index ...`: a similarity index, in a folder of this machine or behind a URL. */
import path from 'node:path';
import { SingleBar } from 'cli-progress';
import { LocalSearch, SearchClient, SearchFailed, type SearchService } from '../client/index.js';
import { readEntries } from './entries.js';
import { CommandFailed, reason } from './failure.js';

/** Entries of one request. */
const BATCH_ENTRIES = 1000;

export interface Where {
  /** URL of a service, location of an engine, or a folder. */
  readonly at: string;
  readonly apiKey?: string;
}

export async function create(name: string, where: Where): Promise<void> {
  await using(where, async (service) => print(await service.createIndex(name)));
}

export async function list(where: Where): Promise<void> {
  await using(where, async (service) => {
    for (const index of await service.listIndexes()) print(index);
  });
}

export async function remove(name: string, where: Where): Promise<void> {
  await using(where, async (service) => service.deleteIndex(name));
}

/** Adds all entries of some files; prints how many were new. */
export async function add(name: string, files: readonly string[], where: Where): Promise<void> {
  await using(where, async (service) => {
    const read = await Promise.all(files.map(readEntries));
    const entries = read.flat();
    const bar = new SingleBar({ stream: process.stderr, noTTYOutput: false, clearOnComplete: true });
    const count = { created: 0, updated: 0 };
    bar.start(entries.length, 0);
    try {
      for (let start = 0; start < entries.length; start += BATCH_ENTRIES) {
        const batch = entries.slice(start, start + BATCH_ENTRIES);
        for (const { status } of await service.addAssets(name, batch)) count[status] += 1;
        bar.update(start + batch.length);
      }
    } finally {
      bar.stop();
    }
    print(count);
  });
}

export async function search(
  name: string,
  code: string,
  options: Where & { readonly limit?: string },
): Promise<void> {
  const limit = options.limit === undefined ? undefined : Number(options.limit);
  if (limit !== undefined && !Number.isInteger(limit))
    throw new CommandFailed('--limit takes a whole number');
  await using(options, async (service) => print(await service.search(name, { iscc_code: code }, limit)));
}

export async function get(name: string, isccId: string, where: Where): Promise<void> {
  await using(where, async (service) => print(await service.getAsset(name, isccId)));
}

async function using(where: Where, work: (service: SearchService) => Promise<void>): Promise<void> {
  const service = await open(where);
  try {
    await work(service);
  } catch (error) {
    if (error instanceof SearchFailed || error instanceof TypeError) throw new CommandFailed(reason(error));
    throw error;
  } finally {
    await service.close();
  }
}

async function open({ at, apiKey }: Where): Promise<SearchService> {
  if (/^https?:\/\//.test(at)) return new SearchClient(at, apiKey === undefined ? {} : { apiKey });
  const location = /^[a-z]+:\/\//.test(at) ? at : `usearch://${path.resolve(at)}`;
  try {
    return await LocalSearch.open(location);
  } catch (error) {
    throw new CommandFailed(reason(error));
  }
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
