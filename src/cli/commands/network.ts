/** What the subcommands of `isccd network` do. */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { native } from '../../native.js';
import { checkLog } from '../../network/check-log.js';
import { HubClient } from '../../network/hub-client.js';
import { BLOCK, LogFiles } from '../../network/log-files.js';
import { NETWORK_FACTS, type NetworkName } from '../../network/networks.js';
import type { HubRow } from '../../network/state.js';
import { type HubStatus, hubStatus, type NetworkStatus } from '../../network/status.js';
import { commonVariables } from '../../platform/config/common.js';
import { environment } from '../../platform/config/env.js';
import { readNetworkConfig } from '../../platform/config/network.js';
import { searchVariables } from '../../platform/config/search.js';
import { readVariables } from '../../platform/config/variable.js';
import { printable } from '../../platform/printable.js';
import { searchFolder } from '../../services/search/engine/open.js';
import { cacheFolder, isPostgres } from '../../services/search/postgres/location.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';
import { configuredUrl } from './check-health.js';

const STATUS_TIMEOUT_MS = 5_000;
/** Seconds of each unit of time, longest first. */
const AGE_UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** `isccd network status`: from the running service, else from the data folder. */
export async function status(options: { url?: string; json?: boolean }): Promise<void> {
  const served = await servedStatus(options.url);
  const hubs = served?.hubs ?? (await storedHubs());
  if (hubs === undefined)
    throw new CommandFailed(
      'no service or folder here follows a network; set INDEXSVC_AGGREGATOR_NETWORK for the search service',
    );
  if (options.json) printJson({ ...(served?.list && { list: served.list }), hubs });
  else for (const hub of hubs) process.stdout.write(`${line(hub)}\n`);
  if (served?.list?.ok === false) {
    const since = served.list.read === null ? 'it was never read' : `last read ${age(served.list.read)}`;
    throw new CommandFailed(`the service can't read the list of hubs; ${since}; its log has the reason`);
  }
  if (hubs.some(({ state, alarm }) => state === 'frozen' || alarm !== null)) process.exitCode = 1;
}

async function servedStatus(url: string | undefined): Promise<Partial<NetworkStatus> | undefined> {
  const address = url ?? (await configuredUrl('search'));
  try {
    const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS);
    const response = await fetch(`${address}/status`, { signal });
    return (await response.json()) as Partial<NetworkStatus>;
  } catch (error) {
    if (url === undefined) return undefined;
    throw new CommandFailed(`${address} does not respond: ${reason(error)}`);
  }
}

async function storedHubs(): Promise<readonly HubStatus[] | undefined> {
  const found = await checkedIndexes(configuredFolder());
  const [first] = found;
  if (first === undefined) return undefined;
  if (first.hubs.length === 0 && first.problems[0] !== undefined) throw new CommandFailed(first.problems[0]);
  return found.flatMap(({ hubs }) => hubs.map(({ hub, row }) => hubStatus(hub, row, undefined)));
}

function line({ hub_id, url, state, cursor, tree_size, last_poll, alarm }: HubStatus): string {
  const host = new URL(url).host;
  const warning = alarm === null ? '' : `  ALARM ${alarm.kind}`;
  const size = tree_size ?? '?';
  return printable(
    `${String(hub_id).padStart(4)}  ${host.padEnd(24)}  ${state.padEnd(12)}  ${cursor}/${size}  ${age(last_poll)}${warning}`,
  );
}

/** How long ago a hub was polled. */
function age(lastPoll: string | null): string {
  if (lastPoll === null) return 'never polled';
  const seconds = Math.max(0, (Date.now() - Date.parse(lastPoll)) / 1000);
  const [unitSeconds, unit] = AGE_UNITS.find(([each]) => seconds >= each) ?? [1, 's'];
  return `${Math.floor(seconds / unitSeconds)} ${unit} ago`;
}

interface StoredHub {
  readonly hub: number;
  readonly row: HubRow;
}

interface CheckedIndex {
  readonly folder: string;
  readonly hubs: readonly StoredHub[];
  readonly problems: readonly string[];
}

/** `isccd network verify`. */
export async function verify(
  directory: string | undefined,
  options: { online?: string; json?: boolean },
): Promise<void> {
  const folder = directory === undefined ? configuredFolder() : path.resolve(directory);
  if (folder === undefined)
    throw new CommandFailed(
      'nothing to verify: the configured index is in memory; name a search folder or a backup',
      EXIT_CONFIGURATION,
    );
  const places = [folder, path.join(folder, 'search')];
  const indexes = (await Promise.all(places.map(checkedIndexes))).flat();
  if (indexes.length === 0) throw new CommandFailed('no index here follows a network', EXIT_CONFIGURATION);
  const problems = indexes.flatMap((index) => index.problems);
  if (options.online !== undefined) {
    const count = wholeNumber(options.online, '--online', 1_000_000);
    for (const index of indexes) problems.push(...(await onlineProblems(index, count)));
  }
  const hubs = indexes.flatMap((index) => index.hubs.map(({ hub, row }) => hubStatus(hub, row, undefined)));
  if (options.json) printJson({ ok: problems.length === 0, hubs, problems });
  else {
    for (const hub of hubs) process.stdout.write(`${line(hub)}\n`);
    for (const problem of problems) process.stdout.write(`problem   ${printable(problem)}\n`);
    if (problems.length === 0) process.stdout.write('no problems\n');
  }
  if (problems.length > 0) process.exitCode = 1;
}

/** Indexes of a search folder that follow logs. */
async function checkedIndexes(folder: string | undefined): Promise<CheckedIndex[]> {
  if (folder === undefined) return [];
  const names = await native.searchIndexNames(folder).catch(() => []);
  const found: CheckedIndex[] = [];
  for (const name of names) {
    const index = path.join(folder, name);
    const checked = await native.checkLogIndex(index).catch((error: unknown) => unreadable(name, error));
    if (checked === null) continue;
    const hubs = checked.hubs.map(({ hub, row }) => ({ hub, row: JSON.parse(row) as HubRow }));
    found.push({ folder: index, hubs, problems: checked.problems });
  }
  return found;
}

/** An index that can't be read; `null` unless its name is that of a network's index. */
function unreadable(name: string, error: unknown) {
  const isOfNetwork = Object.values(NETWORK_FACTS).some(({ index }) => index === name);
  return isOfNetwork ? { hubs: [], problems: [`${name} can not be read: ${reason(error)}`] } : null;
}

/** Compares random bundles of each hub with the stored leaf hashes. */
async function onlineProblems({ folder, hubs }: CheckedIndex, count: number): Promise<string[]> {
  const allowed = readNetworkConfig(environment())?.testAllow ?? new Set<string>();
  const client = new HubClient({ allowed });
  const problems: string[] = [];
  try {
    for (const { hub, row } of hubs) {
      const files = new LogFiles(client, row.url, AbortSignal.timeout(600_000));
      const blocks = Math.floor(row.cursor / BLOCK);
      for (let at = 0; at < count && blocks > 0; at += 1) {
        const block = randomInt(blocks);
        const problem = await bundleProblem(folder, hub, block, files);
        if (problem !== undefined) problems.push(`hub ${hub}: bundle ${block} ${problem}`);
      }
    }
  } finally {
    await client.close();
  }
  return problems;
}

async function bundleProblem(folder: string, hub: number, block: number, files: LogFiles) {
  try {
    const bundle = await files.bundle(block, (block + 1) * BLOCK);
    const leaves = await native.logLeaves(folder, hub, block);
    const [served, stored] = await Promise.all([
      native.logBundleRoots([bundle]),
      native.logHashesRoot(leaves),
    ]);
    return served?.equals(stored) === true ? undefined : 'differs from the stored entries';
  } catch (error) {
    return `can not be fetched: ${reason(error)}`;
  }
}

interface CheckOptions {
  readonly origin: string;
  readonly key: readonly string[];
  readonly hubId: string;
  readonly network: NetworkName;
  readonly assets?: boolean;
  readonly json?: boolean;
}

/** `isccd network check`. */
export async function check(directory: string, options: CheckOptions): Promise<void> {
  const hubId = wholeNumber(options.hubId, '--hub-id', 4095);
  const bad = options.key.find((key) => !native.isLogKey(key));
  if (bad !== undefined) throw new CommandFailed(`--key ${bad} is not an Ed25519 key`, EXIT_CONFIGURATION);
  const { origin, key: keys, network, assets = false } = options;
  const checked = await checkLog({ folder: path.resolve(directory), origin, keys, hubId, network, assets });
  if (options.json) printJson(checked);
  else {
    const { checkpoint, tree, counts } = checked;
    const verdict =
      checkpoint.verdict === 'ok' ? `ok, ${checkpoint.size} entries` : `refused: ${checkpoint.reason}`;
    process.stdout.write(`checkpoint  ${verdict}\ntree        ${tree ?? 'not checked'}\n`);
    for (const [name, count] of Object.entries(counts ?? {}))
      if (count > 0) process.stdout.write(`${String(count).padStart(10)}  ${name}\n`);
  }
  if (checked.tree !== 'ok') process.exitCode = 1;
}

/** The folder of the indexes, or of the cache of those in a database; `undefined` if they are in memory. */
function configuredFolder(): string | undefined {
  const values = environment();
  const { indexUri } = readVariables(searchVariables, values);
  const { dataDir } = readVariables(commonVariables, values);
  if (indexUri === undefined) return path.join(dataDir, 'search');
  return isPostgres(indexUri) ? cacheFolder(dataDir) : searchFolder(indexUri);
}

export function wholeNumber(text: string, name: string, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= max) return number;
  throw new CommandFailed(`${name} must be an integer from 0 to ${max}`, EXIT_CONFIGURATION);
}
