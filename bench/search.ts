/**
 * The search service next to iscc-search 0.3.3 (PyPI), both over HTTP with the same bodies, in one run:
 * assets of four 256-bit units, ingest in batches of 1,000, searches for ten.
 *
 * Arguments: `assets=10000` for both (`100000` takes the peer five minutes and more), `large=100000` for ours
 * alone, `seconds=3` a load, `checked=100` queries, `peer=off` to measure ours only. `large=1000000` is the test of a million.
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

/** What one server did with one collection. */
interface Figures {
  readonly 'ingest, assets/s': number;
  readonly 'ingest, assets per CPU s': number;
  readonly [load: `search, ${string}`]: number;
  readonly 'queries fully right, %': number;
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
  const ours = await measure('isccd', startOurs, small);
  const peer = given.get('peer') === 'off' ? undefined : await measure('iscc-search', startPeer, small);
  print(assets, ours, peer);
  const large = number('large', 100_000);
  if (large > assets) {
    const data = await prepared(large);
    print(large, await measure('isccd', startOurs, data));
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
        const { status } = await engine.search('main', bodies[next % bodies.length] as Buffer, LIMIT);
        if (status !== 200) throw new Error(`a search failed (${status})`);
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

async function measure(name: string, start: Start, data: Prepared): Promise<Figures> {
  const folder = path.join(work, `${name}-${data.all.count}`);
  let server = await start(folder);
  try {
    const before = await memory(server);
    const { perSecond, perCpuSecond } = await ingest(server, data);
    const right = await rightShare(server, data);
    const searches: Record<`search, ${string}`, number> = {};
    for (const clients of CLIENTS) {
      const load = await searchLoad(server, clients, data.queryFile);
      const label = `${clients} client${clients > 1 ? 's' : ''}`;
      searches[`search, ${label}, q/s`] = load.perSecond;
      searches[`search, ${label}, p99 ms`] = load.p99Ms;
      searches[`search, ${label}, CPU ms`] = load.cpuMs;
    }
    const alive = await aliveUnderLoad(server, data);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const after = await memory(server);
    const disk = await diskBytes(folder);
    await kill(server);
    const killed = performance.now();
    server = await start(folder);
    const ready = (performance.now() - killed) / 1000;
    return {
      'ingest, assets/s': perSecond,
      'ingest, assets per CPU s': perCpuSecond,
      ...searches,
      'queries fully right, %': right,
      'alive under full load, p99 ms': alive.p99Ms,
      'alive under full load, max ms': alive.maxMs,
      'memory, B/asset': (after.all - before.all) / data.all.count,
      'memory without file pages, B/asset': (after.own - before.own) / data.all.count,
      'disk, B/asset': disk / data.all.count,
      'ready after kill -9, s': ready,
      'queries fully right after kill -9, %': await rightShare(server, data),
    };
  } finally {
    await kill(server);
  }
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

async function searchLoad(server: Server, clients: number, file: string) {
  const script = path.join(import.meta.dirname, 'support', 'search-load.mjs');
  const target = `/indexes/main/search?limit=${LIMIT}`;
  const args = [script, server.port, clients, SECONDS, target, file].map(String);
  const [cpu, start] = [await cpuSeconds(server), performance.now()];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const load = JSON.parse(stdout) as { perSecond: number; p99Ms: number };
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

function print(assets: number, ours: Figures, peer?: Figures): void {
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
