/** Search services with indexes in several engines: the same assets are added to each, and searches are measured in turns. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ARGUMENTS, quickOr } from './options.js';
import { type Collection, makeQueries, unitTexts } from './search-data.js';
import { cpuSeconds, freePort, root, type Server, started } from './search-servers.js';

const NUMBERS = ARGUMENTS.filter((argument) => /^\d+$/.test(argument));
export const ASSETS = Number(NUMBERS[0] ?? quickOr(2000, 100_000));
export const SECONDS = Number(NUMBERS[1] ?? quickOr(1, 5));
export const BATCH = 1000;
export const CLIENTS = quickOr([4], [1, 8, 32]);
export const ROUNDS = quickOr(1, 3);
const QUERIES = 200;
const JSON_TYPE = { 'Content-Type': 'application/json' };

export interface Rates {
  /** Assets or searches. */
  readonly perSecond: number;
  /** The same per second of processor time of the service. */
  readonly perProcessorSecond: number;
}

/** Starts the service with its data in `folder` and its indexes at `location`. */
export async function startIndexes(folder: string, location: string): Promise<Server> {
  const port = await freePort();
  return started(port, process.execPath, [path.join(root, 'dist', 'cli', 'main.js'), 'serve', 'search'], {
    INDEXSVC_INDEX_URI: location,
    INDEXSVC_PORT: String(port),
    INDEXSVC_LOG_LEVEL: 'warn',
    ISCCD_DATA_DIR: folder,
  });
}

/** Creates the index `main` and adds the batches in these files, `atOnce` at a time. */
export async function addAll(server: Server, batches: readonly string[], atOnce = 1): Promise<Rates> {
  await expectStatus(201, post(`${server.url}/indexes`, '{"name":"main"}'));
  const bodies = await Promise.all(batches.map((file) => readFile(file)));
  const used = await cpuSeconds(server);
  const startMs = performance.now();
  const waiting = bodies.values();
  const add = async () => {
    for (const body of waiting) await expectStatus(201, repeated(`${server.url}/indexes/main/assets`, body));
  };
  await Promise.all(Array.from({ length: atOnce }, add));
  return rates(ASSETS, performance.now() - startMs, (await cpuSeconds(server)) - used);
}

/** Writes searches for units near stored ones and returns the file, one body per line. */
export async function writeQueries(collection: Collection, folder: string): Promise<string> {
  const queries = makeQueries(collection, QUERIES).map(({ units }) => ({ units: unitTexts(units) }));
  const file = path.join(folder, 'queries.jsonl');
  await writeFile(file, queries.map((query) => `${JSON.stringify(query)}\n`).join(''));
  return file;
}

/** Searches by `clients` clients for {@link SECONDS}, with these parameters. */
export async function searches(
  server: Server,
  clients: number,
  queryFile: string,
  parameters = 'limit=10',
): Promise<Rates> {
  const script = path.join(import.meta.dirname, 'search-load.mjs');
  const target = `/indexes/main/search?${parameters}`;
  const args = [script, server.port, clients, SECONDS, target, queryFile].map(String);
  const used = await cpuSeconds(server);
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { perSecond, answered, elapsedMs } = JSON.parse(stdout) as {
    readonly perSecond: number;
    readonly answered: number;
    readonly elapsedMs: number;
  };
  const processorSeconds = (await cpuSeconds(server)) - used;
  return { ...rates(answered, elapsedMs, processorSeconds), perSecond };
}

/** The best rates of several rounds; in turns, because other work on the machine changes over time. */
export async function inTurns(
  servers: Readonly<Record<string, Server>>,
  measure: (server: Server) => Promise<Rates>,
): Promise<Readonly<Record<string, Rates>>> {
  const best: Record<string, Rates> = {};
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, server] of Object.entries(servers)) {
      const found = await measure(server);
      const known = best[name] ?? found;
      best[name] = {
        perSecond: Math.max(known.perSecond, found.perSecond),
        perProcessorSecond: Math.max(known.perProcessorSecond, found.perProcessorSecond),
      };
    }
  return best;
}

/** Prints rates and what the last one is of the first one. */
export function report(what: string, all: Readonly<Record<string, Rates>>): void {
  const named = Object.entries(all);
  const [[, first], [, last]] = [named[0], named.at(-1)] as [[string, Rates], [string, Rates]];
  const columns = named.map(
    ([name, { perSecond, perProcessorSecond }]) =>
      `${name} ${perSecond.toFixed(0)}/s, ${perProcessorSecond.toFixed(0)} per processor second`,
  );
  const ratio = (of: keyof Rates) => (last[of] / first[of]).toFixed(2);
  console.log(
    `${what.padEnd(22)} ${columns.join('   ')}   ratio ${ratio('perSecond')}, ${ratio('perProcessorSecond')}`,
  );
}

export function post(url: string, body: NonNullable<RequestInit['body']>): Promise<Response> {
  return fetch(url, { method: 'POST', headers: JSON_TYPE, body });
}

/** Sends a request again until its engine is available. */
async function repeated(url: string, body: NonNullable<RequestInit['body']>): Promise<Response> {
  for (;;) {
    const response = await post(url, body);
    if (response.status !== 503) return response;
    await response.arrayBuffer();
    await pause(1000 * Number(response.headers.get('retry-after')));
  }
}

export async function expectStatus(status: number, sent: Promise<Response>): Promise<string> {
  const response = await sent;
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return text;
}

function rates(count: number, elapsedMs: number, processorSeconds: number): Rates {
  // The system counts processor time in hundredths of a second.
  return {
    perSecond: (count / elapsedMs) * 1000,
    perProcessorSecond: count / Math.max(processorSeconds, 0.01),
  };
}
