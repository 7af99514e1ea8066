/**
 * The search service next to iscc-search 0.3.3 (PyPI), both over HTTP with the same bodies, in one run:
 * assets of four 256-bit units, ingest in batches of 1,000, searches for ten.
 *
 * Arguments: `assets=10000` for both (`100000` takes the peer five minutes and more), `large=100000` for ours
 * alone, `rounds=3` of searches with `seconds=3` each, `checked=100` queries, `peer=off` to measure ours only.
 * `large=1000000` is the test of a million.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { native } from '../src/native.js';
import {
  type Collection,
  makeCollection,
  makeQueries,
  type Query,
  unitTexts,
  walk,
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
/** Time for the collector and the allocator to settle before memory is read. */
const SETTLE_MS = 2000;
const PROBE_PAUSE_MS = 5;

const given = new Map(process.argv.slice(2).map((argument) => argument.split('=') as [string, string]));
const number = (name: string, fallback: number) => Number(given.get(name) ?? fallback);
const SECONDS = number('seconds', 3);
/** Queries that are compared with a walk over all assets. */
const CHECKED = number('checked', 100);

const SERVERS = { isccd: startOurs, 'iscc-search': startPeer } as const;
/** Of searches, which are short. */
const ROUNDS = number('rounds', 3);

/** What one server did with one collection. */
type Figures = Filling & Searches & Lived;

interface Filling {
  readonly 'ingest, assets/s': number;
  readonly 'ingest, assets per CPU s': number;
  readonly 'queries fully right, %': number;
}

interface Searches {
  [load: `search, ${string}`]: number;
}

interface Lived {
  readonly 'alive under full load, p99 ms': number;
  readonly 'alive under full load, max ms': number;
  readonly 'memory, B/asset': number;
  readonly 'memory without file pages, B/asset': number;
  readonly 'disk, B/asset': number;
  readonly 'ready after kill -9, s': number;
  readonly 'queries fully right after kill -9, %': number;
}

const work = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
try {
  const assets = number('assets', 10_000);
  const small = await prepared(assets);
  print(assets, await measure(small, given.get('peer') === 'off' ? ['isccd'] : ['isccd', 'iscc-search']));
  const large = number('large', 100_000);
  if (large > assets) {
    const data = await prepared(large);
    print(large, await measure(data, ['isccd']));
    await inProcess(data);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}

/** The same index without HTTP: start, and searches one and eight at a time. */
async function inProcess({ all, queries }: Prepared): Promise<void> {
  const start = performance.now();
  const engine = await native.openSearchEngine(`usearch://${path.join(work, `isccd-${all.count}`)}`);
  console.log(`in process: ready after ${((performance.now() - start) / 1000).toFixed(2)} s`);
  const bodies = queries.map(({ units }) => Buffer.from(JSON.stringify({ units: unitTexts(units) })));
  for (const atOnce of CLIENTS) {
    const end = performance.now() + SECONDS * 1000;
    const waits: number[] = [];
    const ask = async (first: number) => {
      for (let next = first; performance.now() < end; next += atOnce) {
        const asked = performance.now();
        await engine.search('main', bodies[next % bodies.length] as Buffer, LIMIT);
        waits.push(performance.now() - asked);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, index) => ask(index)));
    waits.sort((a, b) => a - b);
    const p99 = waits[Math.floor(waits.length * 0.99)] ?? Number.NaN;
    const rate = (waits.length / SECONDS).toFixed(0);
    console.log(`in process: ${atOnce} at a time: ${rate} searches/s, p99 ${p99.toFixed(2)} ms`);
  }
  await engine.close();
}

interface Prepared {
  readonly all: Collection;
  readonly batches: readonly string[];
  readonly queries: readonly Query[];
  /** One request body a line. */
  readonly queryFile: string;
  readonly truth: readonly [id: string, score: number][][];
}

async function prepared(assets: number): Promise<Prepared> {
  const all = makeCollection(assets);
  const batches = await writeBatches(all, BATCH_ASSETS, path.join(work, `batches-${assets}`));
  const queries = makeQueries(all, QUERIES);
  const queryFile = path.join(work, `queries-${assets}.jsonl`);
  await writeFile(
    queryFile,
    queries.map(({ units }) => JSON.stringify({ units: unitTexts(units) })).join('\n'),
  );
  const truth = queries.slice(0, CHECKED).map((query) => walk(all, query, LIMIT + 10));
  return { all, batches, queries, queryFile, truth };
}

/** The servers side by side: each is filled, then they are searched in turns, and then each goes on alone. */
async function measure(data: Prepared, names: readonly (keyof typeof SERVERS)[]): Promise<Figures[]> {
  const trials: Trial[] = [];
  try {
    for (const name of names) trials.push(await filled(SERVERS[name], `${name}-${data.all.count}`, data));
    const searches = await searchesInTurns(trials, data);
    const figures: Figures[] = [];
    for (const [index, trial] of trials.entries()) {
      figures.push({ ...trial.filling, ...searches[index], ...(await lived(trial, data)) });
      await kill(trial.server);
    }
    return figures;
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
  readonly filling: Filling;
}

async function filled(start: Start, name: string, data: Prepared): Promise<Trial> {
  const folder = path.join(work, name);
  const server = await start(folder);
  try {
    const emptyMemory = await memory(server);
    const { perSecond, perCpuSecond } = await ingest(server, data);
    const filling = {
      'ingest, assets/s': perSecond,
      'ingest, assets per CPU s': perCpuSecond,
      'queries fully right, %': await rightShare(server, data),
    };
    return { start, folder, server, emptyMemory, filling };
  } catch (error) {
    await kill(server);
    throw error;
  }
}

/** In rounds, so that what else the machine does meets all servers; of each server its median round. */
async function searchesInTurns(trials: readonly Trial[], data: Prepared): Promise<Searches[]> {
  const found: Searches[] = trials.map(() => ({}));
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
      Object.assign(found[index] as Searches, {
        [`${label}, q/s`]: load.perSecond,
        [`${label}, p50 ms`]: load.p50Ms,
        [`${label}, p99 ms`]: load.p99Ms,
        [`${label}, CPU ms`]: load.cpuMs,
      });
    }
  }
  return found;
}

async function lived(trial: Trial, data: Prepared): Promise<Lived> {
  const { start, folder, emptyMemory } = trial;
  const { count } = data.all;
  const alive = await aliveUnderLoad(trial.server, data);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const after = await memory(trial.server);
  const disk = await diskBytes(folder);
  await kill(trial.server);
  const killed = performance.now();
  trial.server = await start(folder);
  const ready = (performance.now() - killed) / 1000;
  return {
    'alive under full load, p99 ms': alive.p99Ms,
    'alive under full load, max ms': alive.maxMs,
    'memory, B/asset': (after.all - emptyMemory.all) / count,
    'memory without file pages, B/asset': (after.own - emptyMemory.own) / count,
    'disk, B/asset': disk / count,
    'ready after kill -9, s': ready,
    'queries fully right after kill -9, %': await rightShare(trial.server, data),
  };
}

async function ingest(server: Server, { all, batches }: Prepared) {
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

/** Share of queries whose answer has the scores of the walk over all assets, and its assets, in percent. */
async function rightShare(server: Server, { queries, truth }: Prepared): Promise<number> {
  let right = 0;
  for (const [index, wanted] of truth.entries()) {
    const body = JSON.stringify({ units: unitTexts(queries[index]?.units ?? new Uint32Array()) });
    const answer = await send(`${server.url}/indexes/main/search?limit=${LIMIT}`, body, 200);
    const { global_matches: found } = JSON.parse(answer) as {
      global_matches: { iscc_id: string; score: number }[];
    };
    const scores = new Map(wanted);
    const isRight = (one: { iscc_id: string; score: number }, place: number) =>
      Math.abs(one.score - (wanted[place]?.[1] ?? -1)) < SCORE_TOLERANCE &&
      Math.abs(one.score - (scores.get(one.iscc_id) ?? -1)) < SCORE_TOLERANCE;
    if (found.length === Math.min(LIMIT, wanted.length) && found.every(isRight)) right += 1;
  }
  return (100 * right) / truth.length;
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
  // Processor time also covers the warm-up, at the same rate.
  const seconds = (performance.now() - start) / 1000;
  const cpuMs = (1000 * ((await cpuSeconds(server)) - cpu)) / seconds / load.perSecond;
  return { ...load, cpuMs };
}

/** How long `/healthz` takes while eight clients search and batches are written one after the other. */
async function aliveUnderLoad(server: Server, { batches, queryFile }: Prepared) {
  let isLoaded = true;
  const writing = async () => {
    for (let next = 0; isLoaded; next += 1) {
      const body = await readFile(batches[next % batches.length] ?? '');
      await send(`${server.url}/indexes/main/assets`, body, 201);
    }
  };
  const waits: number[] = [];
  const probing = async () => {
    while (isLoaded) {
      const start = performance.now();
      await (await fetch(`${server.url}/healthz`)).arrayBuffer();
      waits.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
    }
  };
  const others = [writing(), probing()];
  await searchLoad(server, CLIENTS.at(-1) ?? 1, queryFile);
  isLoaded = false;
  await Promise.all(others);
  waits.sort((a, b) => a - b);
  return { p99Ms: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN, maxMs: waits.at(-1) ?? Number.NaN };
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
    // Blocks, not lengths: files may have holes.
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).blocks * 512;
  }
  return bytes;
}

function print(assets: number, [ours, peer]: readonly Figures[]): void {
  if (ours === undefined) return;
  console.log(`\n${assets} assets${' '.repeat(32 - String(assets).length)}isccd   iscc-search     ratio`);
  for (const [name, value] of Object.entries(ours)) {
    const other = peer?.[name as keyof Figures];
    const columns = [name.padEnd(37), shown(value).padStart(8)];
    if (other !== undefined) columns.push(shown(other).padStart(12), (value / other).toFixed(2).padStart(8));
    console.log(columns.join('  '));
  }
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
