/**
 * Indexes in PostgreSQL against a local folder, over HTTP in one run: adds of 1,000 assets and searches, as ratios. The
 * database comes from Debian's binaries (`ISCCD_TEST_POSTGRES_BIN`) and syncs its log, like the folder.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '../../test/support/postgres.js';
import { serve } from '../../test/support/serve.js';
import { ARGUMENTS, quickOr } from './options.js';
import { makeCollection, makeQueries, unitTexts, writeBatches } from './search-data.js';

const NUMBERS = ARGUMENTS.filter((argument) => /^\d+$/.test(argument));
const ASSETS = Number(NUMBERS[0] ?? quickOr(2000, 100_000));
const SECONDS = Number(NUMBERS[1] ?? quickOr(1, 5));
const BATCH = 1000;
const QUERIES = 200;
const CLIENTS = quickOr([4], [1, 8, 32]);
const ROUNDS = quickOr(1, 3);

interface Load {
  readonly perSecond: number;
}

interface Measured {
  readonly url: string;
  readonly addsPerSecond: number;
}

export async function search(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
  const postgres = await startPostgres({ sync: true });
  try {
    const collection = makeCollection(ASSETS);
    const batches = await writeBatches(collection, BATCH, folder);
    const queryFile = path.join(folder, 'queries.jsonl');
    const queries = makeQueries(collection, QUERIES).map(({ units }) => ({ units: unitTexts(units) }));
    await writeFile(queryFile, queries.map((query) => `${JSON.stringify(query)}\n`).join(''));
    const locations = {
      folder: `usearch://${path.join(folder, 'local')}`,
      postgresql: await postgres.createDatabase(),
    };
    const servers = await Promise.all(
      Object.entries(locations).map(async ([name, location]) => {
        const env = {
          INDEXSVC_INDEX_URI: location,
          INDEXSVC_PORT: '0',
          ISCCD_DATA_DIR: path.join(folder, name),
        };
        return [name, await serve(['search'], { env: { ...env, INDEXSVC_LOG_LEVEL: 'warn' } })] as const;
      }),
    );
    console.log(
      `${ASSETS.toLocaleString('en')} assets in batches of ${BATCH}; searches for ${SECONDS} s, best of ${ROUNDS}`,
    );
    const measured = new Map<string, Measured>();
    for (const [name, { urls }] of servers) measured.set(name, await addAll(urls.search, batches));
    report('adds/s', (name) => measured.get(name)?.addsPerSecond ?? 0);
    for (const clients of CLIENTS) {
      const best = new Map<string, number>();
      // In turns, because other work on the machine changes over time.
      for (let round = 0; round < ROUNDS; round += 1)
        for (const [name, { urls }] of servers)
          best.set(name, Math.max(best.get(name) ?? 0, await searches(urls.search, clients, queryFile)));
      report(`searches/s, ${clients} clients`, (name) => best.get(name) ?? 0);
    }
    await Promise.all(servers.map(([, server]) => server.stop()));
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function addAll(url: string, batches: readonly string[]): Promise<Measured> {
  const headers = { 'Content-Type': 'application/json' };
  while ((await fetch(`${url}/readyz`)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(201, fetch(`${url}/indexes`, { method: 'POST', headers, body: '{"name":"main"}' }));
  const bodies = await Promise.all(batches.map((file) => readFile(file)));
  const startMs = performance.now();
  for (const body of bodies)
    await expect(201, fetch(`${url}/indexes/main/assets`, { method: 'POST', headers, body }));
  return { url, addsPerSecond: (ASSETS / (performance.now() - startMs)) * 1000 };
}

async function expect(status: number, sent: Promise<Response>): Promise<void> {
  const response = await sent;
  if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function searches(url: string, clients: number, queryFile: string): Promise<number> {
  const script = path.join(import.meta.dirname, 'search-load.mjs');
  const target = '/indexes/main/search?limit=10';
  const args = [script, new URL(url).port, clients, SECONDS, target, queryFile].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return (JSON.parse(stdout) as Load).perSecond;
}

function report(what: string, value: (name: string) => number): void {
  const [local, shared] = [value('folder'), value('postgresql')];
  const columns = [`folder ${local.toFixed(0)}`, `PostgreSQL ${shared.toFixed(0)}`];
  console.log(`${what.padEnd(26)} ${columns.join('   ')}   ratio ${(shared / local).toFixed(2)}`);
}
