/**
 * The search service compared with iscc-search 0.3.3 (PyPI), both over HTTP with the same bodies: assets of four 256-bit
 * units, added in batches of 1,000, and searches for ten results.
 *
 * Arguments: `assets=10000` for both (the peer takes over five minutes for `100000`), `large=100000` for isccd alone,
 * `rounds=3` of searches with `seconds=3` each, `checked=100` queries, `peer=off` to measure only isccd.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { native } from '../src/native.js';
import { ARGUMENTS, QUICK, quickOr } from './support/options.js';
import {
  type Collection,
  exactSearch,
  makeCollection,
  makeQueries,
  type Query,
  unitTexts,
  writeBatches,
} from './support/search-data.js';
import {
  cpuSeconds,
  kill,
  memory,
  type Server,
  type Start,
  startOurs,
  startPeer,
} from './support/search-servers.js';

const BATCH_ASSETS = 1000;
const LIMIT = 10;
const CLIENTS = [1, 8];
const QUERIES = 2000;
const SCORE_TOLERANCE = 1e-6;
/** Pause for garbage collection before memory is measured. */
const SETTLE_MS = 2000;
const PROBE_PAUSE_MS = 5;

const given = new Map(ARGUMENTS.map((argument) => argument.split('=') as [string, string]));
const number = (name: string, fallback: number) => Number(given.get(name) ?? fallback);
const SECONDS = number('seconds', quickOr(0.3, 3));
/** Number of queries whose results are compared with an exact search. */
const CHECKED = number('checked', quickOr(10, 100));

const SERVERS = { isccd: startOurs, 'iscc-search': startPeer } as const;
/** Rounds of searches. */
const ROUNDS = number('rounds', quickOr(1, 3));

/** Metrics of one server with one collection. */
type Metrics = IngestMetrics & SearchMetrics & RuntimeMetrics;

interface IngestMetrics {
  readonly 'ingest, assets/s': number;
  readonly 'ingest, assets per CPU s': number;
  readonly 'queries fully correct, %': number;
}

interface SearchMetrics {
  [load: `search, ${string}`]: number;
}

interface RuntimeMetrics {
  readonly 'healthz under full load, p99 ms': number;
  readonly 'healthz under full load, max ms': number;
  readonly 'memory, B/asset': number;
  readonly 'memory without file pages, B/asset': number;
  readonly 'disk, B/asset': number;
  readonly 'ready after kill -9, s': number;
  readonly 'queries fully correct after kill -9, %': number;
}

const work = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
try {
  const assets = number('assets', quickOr(1000, 10_000));
  const small = await prepare(assets);
  print(
    assets,
    await measure(small, given.get('peer') === 'off' || QUICK ? ['isccd'] : ['isccd', 'iscc-search']),
  );
  const large = number('large', quickOr(2000, 100_000));
  if (large > assets) {
    const data = await prepare(large);
    print(large, await measure(data, ['isccd']));
    await measureInProcess(data);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}

/** The same index without HTTP: time to open, and searches with one and with eight callers. */
async function measureInProcess({ all, queries }: Prepared): Promise<void> {
  const start = performance.now();
  const engine = await native.openSearchEngine(`usearch://${path.join(work, `isccd-${all.count}`)}`);
  console.log(`in process: ready after ${((performance.now() - start) / 1000).toFixed(2)} s`);
  const bodies = queries.map(({ units }) => Buffer.from(JSON.stringify({ units: unitTexts(units) })));
  for (const callers of CLIENTS) {
    const end = performance.now() + SECONDS * 1000;
    const latencies: number[] = [];
    const call = async (first: number) => {
      for (let next = first; performance.now() < end; next += callers) {
        const called = performance.now();
        await engine.search('main', bodies[next % bodies.length] as Buffer, { limit: LIMIT });
        latencies.push(performance.now() - called);
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
    latencies.sort((a, b) => a - b);
    const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
    const rate = (latencies.length / SECONDS).toFixed(0);
    console.log(`in process: ${callers} concurrent: ${rate} searches/s, p99 ${p99.toFixed(2)} ms`);
  }
  await engine.close();
}

interface Prepared {
  readonly all: Collection;
  readonly batches: readonly string[];
  readonly queries: readonly Query[];
  /** One request body per line. */
  readonly queryFile: string;
  readonly truth: readonly [id: string, score: number][][];
}

async function prepare(assets: number): Promise<Prepared> {
  const all = makeCollection(assets);
  const batches = await writeBatches(all, BATCH_ASSETS, path.join(work, `batches-${assets}`));
  const queries = makeQueries(all, QUERIES);
  const queryFile = path.join(work, `queries-${assets}.jsonl`);
  await writeFile(
    queryFile,
    queries.map(({ units }) => JSON.stringify({ units: unitTexts(units) })).join('\n'),
  );
  const truth = queries.slice(0, CHECKED).map((query) => exactSearch(all, query, LIMIT + 10));
  return { all, batches, queries, queryFile, truth };
}

/** Fills each server, then searches all in alternating rounds, then measures each alone. */
async function measure(data: Prepared, names: readonly (keyof typeof SERVERS)[]): Promise<Metrics[]> {
  const trials: Trial[] = [];
  try {
    for (const name of names) trials.push(await fill(SERVERS[name], `${name}-${data.all.count}`, data));
    const searches = await measureSearches(trials, data);
    const metrics: Metrics[] = [];
    for (const [index, trial] of trials.entries()) {
      metrics.push({ ...trial.ingest, ...searches[index], ...(await measureRuntime(trial, data)) });
      await kill(trial.server);
    }
    return metrics;
  } finally {
    for (const { server } of trials) await kill(server);
  }
}

/** A server with all assets in one index. */
interface Trial {
  readonly start: Start;
  readonly folder: string;
  server: Server;
  readonly emptyMemory: Awaited<ReturnType<typeof memory>>;
  readonly ingest: IngestMetrics;
}

async function fill(start: Start, name: string, data: Prepared): Promise<Trial> {
  const folder = path.join(work, name);
  const server = await start(folder);
  try {
    const emptyMemory = await memory(server);
    const { perSecond, perCpuSecond } = await addAssets(server, data);
    const ingest = {
      'ingest, assets/s': perSecond,
      'ingest, assets per CPU s': perCpuSecond,
      'queries fully correct, %': await correctPercent(server, data),
    };
    return { start, folder, server, emptyMemory, ingest };
  } catch (error) {
    await kill(server);
    throw error;
  }
}

/** The median round of each server. Rounds alternate, so that other load on the machine affects all servers. */
async function measureSearches(trials: readonly Trial[], data: Prepared): Promise<SearchMetrics[]> {
  const metrics: SearchMetrics[] = trials.map(() => ({}));
  for (const clients of CLIENTS) {
    const rounds: Load[][] = trials.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { server }] of trials.entries()) {
        rounds[index]?.push(await searchLoad(server, clients, data.queryFile));
      }
    }
    const label = `search, ${clients} client${clients > 1 ? 's' : ''}`;
    for (const [index, loads] of rounds.entries()) {
      const load = loads.sort((a, b) => a.perSecond - b.perSecond)[ROUNDS >> 1] as Load;
      Object.assign(metrics[index] as SearchMetrics, {
        [`${label}, q/s`]: load.perSecond,
        [`${label}, p50 ms`]: load.p50Ms,
        [`${label}, p99 ms`]: load.p99Ms,
        [`${label}, CPU ms`]: load.cpuMs,
      });
    }
  }
  return metrics;
}

/** Latency under load, memory, disk usage, and recovery after `kill -9`. */
async function measureRuntime(trial: Trial, data: Prepared): Promise<RuntimeMetrics> {
  const { start, folder, emptyMemory } = trial;
  const { count } = data.all;
  const health = await healthUnderLoad(trial.server, data);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const after = await memory(trial.server);
  const disk = await diskBytes(folder);
  await kill(trial.server);
  const killed = performance.now();
  trial.server = await start(folder);
  const ready = (performance.now() - killed) / 1000;
  return {
    'healthz under full load, p99 ms': health.p99Ms,
    'healthz under full load, max ms': health.maxMs,
    'memory, B/asset': (after.all - emptyMemory.all) / count,
    'memory without file pages, B/asset': (after.own - emptyMemory.own) / count,
    'disk, B/asset': disk / count,
    'ready after kill -9, s': ready,
    'queries fully correct after kill -9, %': await correctPercent(trial.server, data),
  };
}

async function addAssets(server: Server, { all, batches }: Prepared) {
  await send(`${server.url}/indexes`, JSON.stringify({ name: 'main' }), 201);
  const cpu = await cpuSeconds(server);
  let seconds = 0;
  for (const file of batches) {
    const body = await readFile(file);
    const start = performance.now();
    await send(`${server.url}/indexes/main/assets`, body, 201);
    seconds += (performance.now() - start) / 1000;
  }
  const used = (await cpuSeconds(server)) - cpu;
  return { perSecond: all.count / seconds, perCpuSecond: all.count / used };
}

/** Percentage of queries whose response has the assets and scores of the exact search. */
async function correctPercent(server: Server, { queries, truth }: Prepared): Promise<number> {
  let correct = 0;
  for (const [index, expected] of truth.entries()) {
    const body = JSON.stringify({ units: unitTexts(queries[index]?.units ?? new Uint32Array()) });
    const response = await send(`${server.url}/indexes/main/search?limit=${LIMIT}`, body, 200);
    const { global_matches: found } = JSON.parse(response) as {
      global_matches: { iscc_id: string; score: number }[];
    };
    const scores = new Map(expected);
    const isCorrect = (one: { iscc_id: string; score: number }, place: number) =>
      Math.abs(one.score - (expected[place]?.[1] ?? -1)) < SCORE_TOLERANCE &&
      Math.abs(one.score - (scores.get(one.iscc_id) ?? -1)) < SCORE_TOLERANCE;
    if (found.length === Math.min(LIMIT, expected.length) && found.every(isCorrect)) correct += 1;
  }
  return (100 * correct) / truth.length;
}

interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

async function searchLoad(server: Server, clients: number, file: string): Promise<Load> {
  const script = path.join(import.meta.dirname, 'support', 'search-load.mjs');
  const target = `/indexes/main/search?limit=${LIMIT}`;
  const args = [script, server.port, clients, SECONDS, target, file].map(String);
  const [cpu, start] = [await cpuSeconds(server), performance.now()];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const load = JSON.parse(stdout) as Omit<Load, 'cpuMs'>;
  // CPU time and elapsed time both include the warm-up.
  const seconds = (performance.now() - start) / 1000;
  const cpuMs = (1000 * ((await cpuSeconds(server)) - cpu)) / seconds / load.perSecond;
  return { ...load, cpuMs };
}

/** Latency of `/healthz` while eight clients search and one adds batches. */
async function healthUnderLoad(server: Server, { batches, queryFile }: Prepared) {
  let isLoaded = true;
  const writing = async () => {
    for (let next = 0; isLoaded; next += 1) {
      const body = await readFile(batches[next % batches.length] ?? '');
      await send(`${server.url}/indexes/main/assets`, body, 201);
    }
  };
  const latencies: number[] = [];
  const probing = async () => {
    while (isLoaded) {
      const start = performance.now();
      await (await fetch(`${server.url}/healthz`)).arrayBuffer();
      latencies.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
    }
  };
  const others = [writing(), probing()];
  await searchLoad(server, CLIENTS.at(-1) ?? 1, queryFile);
  isLoaded = false;
  await Promise.all(others);
  latencies.sort((a, b) => a - b);
  const p99Ms = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
  return { p99Ms, maxMs: latencies.at(-1) ?? Number.NaN };
}

async function send(url: string, body: string | Buffer, status: number): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  return text;
}

async function diskBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // Counts blocks instead of lengths, because files may be sparse.
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).blocks * 512;
  }
  return bytes;
}

function print(assets: number, [ours, peer]: readonly Metrics[]): void {
  if (ours === undefined) return;
  console.log(`\n${assets} assets${' '.repeat(33 - String(assets).length)}isccd   iscc-search     ratio`);
  for (const [name, value] of Object.entries(ours)) {
    const other = peer?.[name as keyof Metrics];
    const columns = [name.padEnd(38), format(value).padStart(8)];
    if (other !== undefined) columns.push(format(other).padStart(12), (value / other).toFixed(2).padStart(8));
    console.log(columns.join('  '));
  }
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
