/** `isccd index import|export|copy|repair`: moves all assets of an index. */
import path from 'node:path';
import { ServiceError } from '../../client/errors.js';
import type { LinesResult, SearchApi } from '../../client/search-api.js';
import { SearchClient } from '../../client/search-client.js';
import { searchFolder } from '../../services/search/engine/open.js';
import { refuseHostAndPort } from '../input/arguments.js';
import { type AssetSource, assetSources, damagedSource, serviceSources } from '../input/asset-sources.js';
import { ImportState, type Transferred } from '../input/import-state.js';
import { RefusalReport } from '../input/refusal-report.js';
import { assetBar } from '../terminal/asset-bar.js';
import { CommandFailed, lines } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';
import { writeOutput } from '../terminal/output.js';
import { using, type Where } from './index-command.js';

const EXPORT_ASSETS = 1000;
const NAME_CHARS_MAX = 32;

export interface ImportOptions extends Where {
  readonly from: string;
  /** API key of a service to import from. */
  readonly fromApiKey?: string;
  /** Name of the new index. */
  readonly as?: string;
  readonly report: string;
  readonly state: string;
}

/**
 * Imports one index or all indexes of a place. Continues an interrupted import of the same place.
 *
 * @throws {CommandFailed} at the end, if rows are missing
 */
export async function importIndexes(name: string | undefined, options: ImportOptions): Promise<void> {
  const sources = await sourcesOf(name, options);
  if (options.as !== undefined && sources.length > 1) {
    throw new CommandFailed('--as names one index; name the index to import, too');
  }
  await using(
    options,
    async (target) => {
      // The next standard input is another one.
      const isLasting = options.from !== '-';
      const state = isLasting ? await ImportState.open(options.state, options.from, options.at) : undefined;
      const all: Transferred[] = [];
      for (const source of sources) {
        const index = options.as ?? source.name ?? name;
        if (index === undefined) throw new CommandFailed('name the index that the lines are for');
        const done = await transfer(source, target, index, { state, report: options.report });
        printJson(done);
        all.push(done);
      }
      await state?.remove();
      refuseMissing(all);
    },
    { mayBeNew: true },
  );
}

async function sourcesOf(
  name: string | undefined,
  { from, fromApiKey }: ImportOptions,
): Promise<AssetSource[]> {
  refuseHostAndPort(from);
  if (/^https?:\/\//i.test(from)) {
    const apiKey = fromApiKey === undefined ? {} : { apiKey: fromApiKey };
    return serviceSources(new SearchClient(from, apiKey), name);
  }
  const all = await assetSources(from);
  if (name === undefined || all.every((source) => source.name === undefined)) return all;
  const chosen = all.filter((source) => source.name === name);
  // A single index may be imported under another name.
  if (chosen.length === 0 && all.length > 1) throw new CommandFailed(`${from} contains no index ${name}`);
  return chosen.length > 0 ? chosen : all.map((source) => ({ ...source, name }));
}

/** Writes all assets, one per line, to a file or to standard output. */
export async function exportIndex(
  name: string,
  options: Where & { readonly output?: string },
): Promise<void> {
  await using(options, (service) => writeOutput(assetPages(service, name), options.output));
}

async function* assetPages(service: SearchApi, name: string) {
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const { lines, next } = await service.assetLines(name, after, EXPORT_ASSETS);
    yield lines;
    after = next;
    isLast = next === undefined;
  }
}

export interface CopyOptions extends Where {
  /** Place of the new index; by default that of the old one. */
  readonly to?: string;
  readonly toApiKey?: string;
  readonly report: string;
}

/**
 * Copies all assets of an index into another one, in the same or in another place.
 *
 * @throws {CommandFailed} at the end, if rows are missing
 */
export async function copyIndex(name: string, target: string, options: CopyOptions): Promise<void> {
  const { to, toApiKey, report } = options;
  await using(options, async (service) => {
    const [source] = await serviceSources(service, name);
    const copy = async (other: SearchApi) => {
      const done = await transfer(source as AssetSource, other, target, { report });
      printJson(done);
      refuseMissing([done]);
    };
    if (to === undefined) return copy(service);
    const where = toApiKey === undefined ? { at: to } : { at: to, apiKey: toApiKey };
    return using(where, copy, { mayBeNew: true });
  });
}

export interface RepairOptions extends CopyOptions {
  readonly as?: string;
}

/** Salvages the readable rows of a damaged index into a new one. The damaged files are not changed. */
export async function repairIndex(name: string, options: RepairOptions): Promise<void> {
  const { at, to = at, toApiKey, report, as = `${name}repaired`.slice(0, NAME_CHARS_MAX) } = options;
  const location = /^[a-z][\w+.-]*:\/\//i.test(at) ? at : `usearch://${path.resolve(at)}`;
  const folder = searchFolder(location);
  if (folder === undefined) throw new CommandFailed('--at must be the folder with the damaged index');
  const where = toApiKey === undefined ? { at: to } : { at: to, apiKey: toApiKey };
  await using(where, async (target) => {
    if ((await target.listIndexes()).some((index) => index.name === as))
      throw new CommandFailed(`index ${as} exists; choose another name with --as`);
    printJson(await transfer(damagedSource(folder, name), target, as, { report }));
  });
}

/** A script must notice that an index is not complete. */
function refuseMissing(all: readonly Transferred[]): void {
  const problems = all.flatMap((done) => missingRows(done) ?? []);
  if (problems.length > 0) throw new CommandFailed(lines(problems));
}

/** Says that rows of a source are not in the index; `undefined` if all are. */
export function missingRows({ index, refused, problems, report }: Transferred): string | undefined {
  if (refused + problems === 0) return undefined;
  const parts = [
    ...(refused > 0 ? [`rows refused: ${refused}`] : []),
    ...(problems > 0 ? [`places that can't be read: ${problems}`] : []),
  ];
  return `${index}: ${parts.join(', ')}; ${report} has the reasons, all other rows are in the index`;
}

/**
 * Adds all assets of a source to an index. A missing or empty index gets the source's declared paths; another one keeps its
 * own.
 */
export async function transfer(
  source: AssetSource,
  target: SearchApi,
  index: string,
  { state, report }: { readonly state?: ImportState | undefined; readonly report: string },
): Promise<Transferred> {
  const version = await source.version?.();
  const assets = state && (await assetsOf(target, index));
  state?.forgetOutdated(index, version, assets);
  const none: Transferred = { index, created: 0, updated: 0, refused: 0, problems: 0 };
  const { position, isDone, before = assets, done = none } = state?.progress(index) ?? {};
  const counted = () => (done.refused + done.problems > 0 ? { ...done, report } : done);
  if (isDone) return counted();
  const { total, declaredPaths, batches } = await source.open(position);
  await createIfMissing(target, index);
  // Before the first asset is added, so that no second pass over the assets is needed.
  if (declaredPaths.length > 0 && (await isUntouched(target, index)))
    await target.putPaths(index, declaredPaths);
  const bar = assetBar();
  bar.start(total ?? 0, done.created + done.updated + done.refused);
  const log = new RefusalReport(report, index);
  try {
    for await (const batch of batches) {
      const result = batch.count > 0 ? await addLines(target, index, batch.lines) : undefined;
      done.created += result?.created ?? 0;
      done.updated += result?.updated ?? 0;
      done.refused += result?.refused.length ?? 0;
      done.problems += batch.problems.length;
      await log.add(result?.refused ?? [], batch);
      await state?.save(index, { position: batch.position ?? position, version, before, done });
      bar.increment(batch.count);
    }
  } finally {
    bar.stop();
  }
  await state?.finish(index, { version, before, done });
  return counted();
}

/** Cuts a batch whose lines are long, so that each request stays small. */
async function addLines(target: SearchApi, index: string, lines: Uint8Array): Promise<LinesResult> {
  try {
    return await target.addLines(index, lines);
  } catch (error) {
    throw error instanceof ServiceError ? new CommandFailed(`${index}: ${error.message}`) : error;
  }
}

async function createIfMissing(target: SearchApi, index: string): Promise<void> {
  try {
    await target.createIndex(index);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 409) throw error;
  }
}

/** Number of assets of an index; 0 if it does not exist. */
async function assetsOf(target: SearchApi, index: string): Promise<number> {
  try {
    return (await target.getIndex(index)).assets;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return 0;
    throw error;
  }
}

/** Whether an index is as it was created, perhaps by a run that ended before it declared the paths. */
async function isUntouched(target: SearchApi, index: string): Promise<boolean> {
  const [{ assets }, { paths }] = await Promise.all([target.getIndex(index), target.getPaths(index)]);
  return assets === 0 && paths.length === 0;
}
