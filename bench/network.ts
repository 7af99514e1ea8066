/**
 * A node of the network compared with the follower of iscc-search 0.3.3 (PyPI) on the same logs, one after the other: time
 * from the start of the process until all entries are indexed. isccd verifies checkpoint, tree and signatures; the peer
 * verifies nothing. `npm run bench -- kernels -- judge` measures the steps of judging.
 *
 * isccd sends a hub at most 10 requests a second, 2,560 entries; with one hub that is the limit, not the processor. The
 * ratio of CPU time shows the work.
 *
 * Both must return the same assets, deleted ones included, and the same matches.
 *
 * Also prints memory, and the threads that used the CPU time: the event loop is the main thread, judging and storing are on
 * the addon's threads.
 *
 * Arguments: `entries=20000` of all hubs together, `hubs=1`, `index=lmdb` or `index=usearch`, `peer=off`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HubDouble } from '../test/network/support/hub-double.js';
import { type Answers, answersOf, differences } from './support/network-answers.js';
import { ARGUMENTS, QUICK, quickOr } from './support/options.js';
import {
  cpuSeconds,
  freePort,
  kill,
  memory,
  peerProgram,
  root,
  type Server,
  started,
  threadSeconds,
} from './support/search-servers.js';

const PEER = 'iscc-search==0.3.3';
const POLL_MS = quickOr(20, 200);

const DIFFERENCES_SHOWN_MAX = 5;
/** Threads with a smaller share of the CPU time are not shown. */
const SHARE_SHOWN_MIN = 0.01;

const given = new Map(ARGUMENTS.map((argument) => argument.split('=') as [string, string]));
const ENTRIES = Number(given.get('entries') ?? quickOr(500, 20_000));
const HUBS = Number(given.get('hubs') ?? 1);
const INDEX = given.get('index') ?? 'lmdb';

interface Followed {
  readonly seconds: number;
  readonly cpu: number;
  /** CPU seconds by name of thread, most first. */
  readonly threads: readonly (readonly [string, number])[];
  /** Resident bytes: of the process, and without file pages. */
  readonly memory: { readonly all: number; readonly own: number };
  readonly answers: Answers;
}

interface StatusReply {
  readonly hubs?: readonly { readonly cursor: number }[];
  readonly index?: { readonly assets: number } | null;
}

async function startOurs(folder: string, list: string): Promise<Server> {
  const port = await freePort();
  return started(port, process.execPath, [path.join(root, 'dist', 'cli', 'main.js'), 'serve', 'search'], {
    ISCCD_DATA_DIR: folder,
    INDEXSVC_PORT: String(port),
    INDEXSVC_LOG_LEVEL: 'warn',
    INDEXSVC_INDEX_URI: `${INDEX}://${folder}/index`,
    INDEXSVC_ENVIRONMENT: 'test',
    INDEXSVC_AGGREGATOR_TEST_ALLOW: '127.0.0.1',
    // The peer has no deletions.
    INDEXSVC_AGGREGATOR_DELETIONS: 'keep',
    ...aggregator('INDEXSVC', list),
  });
}

async function startPeer(folder: string, list: string): Promise<Server> {
  const command = await peerProgram('iscc-search', PEER);
  const port = await freePort();
  return started(port, command, ['serve', '--host', '127.0.0.1', '--port', String(port)], {
    ISCC_SEARCH_INDEX_URI: `${INDEX}://${folder}/index`,
    ISCC_SEARCH_LOG_LEVEL: 'warning',
    ...aggregator('ISCC_SEARCH', list),
  });
}

function aggregator(prefix: string, list: string): Record<string, string> {
  return {
    [`${prefix}_AGGREGATOR_NETWORK`]: 'testnet',
    [`${prefix}_AGGREGATOR_HUB_LIST_URL`]: list,
    [`${prefix}_AGGREGATOR_POLL_INTERVAL`]: '1',
  };
}

/** Seconds until the log is indexed, from the start of the process, and CPU seconds of the process. */
async function followed(
  start: (folder: string, list: string) => Promise<Server>,
  hubs: readonly HubDouble[],
): Promise<Followed> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-network-'));
  const list = path.join(folder, 'hubs.yaml');
  await writeFile(list, HubDouble.list(...hubs));
  const begun = performance.now();
  const server = await start(folder, list);
  try {
    while ((await cursor(server)) < sizeOf(hubs)) await pause(POLL_MS);
    const used = {
      seconds: (performance.now() - begun) / 1000,
      cpu: await cpuSeconds(server),
      threads: await threadSeconds(server),
      memory: await memory(server),
    };
    return { ...used, answers: await answersOf(server.url, hubs) };
  } finally {
    await kill(server);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Entries of all hubs that are indexed. */
async function cursor({ url }: Server): Promise<number> {
  const response = await fetch(`${url}/status`);
  const { hubs = [] } = (await response.json()) as StatusReply;
  return hubs.reduce((sum, hub) => sum + hub.cursor, 0);
}

function sizeOf(hubs: readonly HubDouble[]): number {
  return hubs.reduce((sum, { size }) => sum + size, 0);
}

function print(name: string, { seconds, cpu, threads, memory: { all, own } }: Followed): void {
  const rate = (per: number) => `${Math.round(ENTRIES / per).toLocaleString('en')}`.padStart(9);
  console.log(
    `${name.padEnd(14)} ${seconds.toFixed(1).padStart(8)} s ${rate(seconds)}/s ${rate(cpu)} per CPU s`,
  );
  const shares = threads.filter(([, used]) => used / cpu >= SHARE_SHOWN_MIN);
  const shown = shares.map(([thread, used]) => `${thread} ${Math.round((100 * used) / cpu)} %`);
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  console.log(`${''.padEnd(14)} memory ${mib(all)}, without file pages ${mib(own)}; CPU ${shown.join(', ')}`);
}

const hubs: HubDouble[] = [];
for (let hubId = 1; hubId <= HUBS; hubId += 1)
  hubs.push(await HubDouble.start(hubId, Math.ceil(ENTRIES / HUBS)));
console.log(`${HUBS} hubs with ${sizeOf(hubs).toLocaleString('en')} entries together, index ${INDEX}`);
const ours = await followed(startOurs, hubs);
print('isccd', ours);
if (given.get('peer') !== 'off' && !QUICK) {
  const peer = await followed(startPeer, hubs);
  print('iscc-search', peer);
  const [time, cpu] = [peer.seconds / ours.seconds, peer.cpu / ours.cpu];
  const different = differences(ours.answers, peer.answers);
  const found = [...ours.answers.values()].filter((answer) => answer.includes('ISCC:M')).length;
  console.log(
    `assets and searches: ${ours.answers.size} compared, ${found} with a result, ${different.length} different`,
  );
  for (const name of different.slice(0, DIFFERENCES_SHOWN_MAX))
    console.log(`${name}\n  ${ours.answers.get(name)}\n  ${peer.answers.get(name)}`);
  console.log(`ratio: ${time.toFixed(1)} in time, ${cpu.toFixed(1)} in CPU time`);
}
await Promise.all(hubs.map((hub) => hub.stop()));
