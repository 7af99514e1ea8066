/**
 * What watches cost: assets that no watch matches are added to an index without watches and to one with many, and the time runs
 * until all changes are compared. Both services run in turn on the same machine.
 *
 * Arguments: `watches=100000`, `assets=50000` per round in batches of 1,000, `rounds=3`.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { native } from '../src/native.js';
import { ARGUMENTS, quickOr } from './support/options.js';
import { makeCollection, writeBatches } from './support/search-data.js';
import { cpuSeconds, kill, type Server, startOurs } from './support/search-servers.js';

const given = new Map(ARGUMENTS.map((argument) => argument.split('=') as [string, string]));
const number = (name: string, fallback: number) => Number(given.get(name) ?? fallback);
const WATCHES = number('watches', quickOr(200, 100_000));
const ASSETS = number('assets', quickOr(2000, 50_000));
const ROUNDS = number('rounds', quickOr(1, 3));
const BATCH_ASSETS = 1000;
const PUTS_AT_ONCE = 32;
const BITS = 256;
const POLL_MS = 20;

interface Cost {
  /** Until the last asset was acknowledged. */
  readonly sent: number;
  /** Until all were compared. */
  readonly seconds: number;
  readonly cpu: number;
}

const INDEX = 'bench';

// Both servers inherit it, and each serves its metrics on its own address.
process.env.ISCCD_METRICS_PUBLIC = 'true';
process.env.ISCCD_METRICS_PORT = 'off';

const work = await mkdtemp(path.join(tmpdir(), 'isccd-bench-watches-'));
try {
  const files = await writeBatches(makeCollection(ASSETS * ROUNDS), BATCH_ASSETS, path.join(work, 'bodies'));
  const bodies = await Promise.all(files.map((file) => readFile(file)));
  const compared: { readonly watches: number; readonly server: Server; readonly costs: Cost[] }[] = [];
  try {
    for (const watches of [0, WATCHES]) {
      const server = await startOurs(path.join(work, `with-${watches}`));
      compared.push({ watches, server, costs: [] });
      await request(server, 'POST', '/indexes', JSON.stringify({ name: INDEX }));
      await watch(server, watches);
    }
    const perRound = bodies.length / ROUNDS;
    for (let round = 0; round < ROUNDS; round += 1) {
      const part = bodies.slice(round * perRound, (round + 1) * perRound);
      for (const { server, costs } of compared) costs.push(await added(server, part));
    }
    print(compared);
  } finally {
    for (const { server } of compared) await kill(server);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Makes watches of random content, which the assets do not match. */
async function watch(server: Server, count: number): Promise<void> {
  if (count === 0) return;
  const start = performance.now();
  let next = 0;
  const put = async () => {
    for (let at = next++; at < count; at = next++)
      await request(
        server,
        'PUT',
        `/indexes/${INDEX}/watches/w${at}`,
        JSON.stringify({ query: { units: [contentOf(at)] } }),
      );
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, put));
  const seconds = (performance.now() - start) / 1000;
  console.log(`${count} watches made in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)}/s`);
}

/** A Content-Code Text of 256 random bits, the same in each run. */
function contentOf(number: number): string {
  const digest = createHash('sha256').update(`watch ${number}`).digest();
  return native.encodeUnit(2, 0, 0, BITS, digest);
}

/** Adds assets and waits until they are compared with the watches. */
async function added(server: Server, bodies: readonly Buffer[]): Promise<Cost> {
  const [start, cpu] = [performance.now(), await cpuSeconds(server)];
  for (const body of bodies) await request(server, 'POST', `/indexes/${INDEX}/assets`, body);
  const sent = (performance.now() - start) / 1000;
  while ((await waiting(server)) > 0) await pause(POLL_MS);
  return { sent, seconds: (performance.now() - start) / 1000, cpu: (await cpuSeconds(server)) - cpu };
}

/** Number of changes that are not compared yet. */
async function waiting(server: Server): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const [, value] = /^isccd_search_watch_changes (\d+)$/m.exec(text) ?? [];
  if (value === undefined) throw new Error('Error: the metrics do not have isccd_search_watch_changes');
  return Number(value);
}

async function request(server: Server, method: string, place: string, body: string | Buffer): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(server.url + place, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`Error: ${method} ${place}: ${response.status} ${text}`);
}

function print(compared: readonly { readonly watches: number; readonly costs: readonly Cost[] }[]): void {
  const least = (costs: readonly Cost[], of: keyof Cost) => Math.min(...costs.map((cost) => cost[of]));
  const [without, ...others] = compared;
  for (const { watches, costs } of compared) {
    const [sent, seconds, cpu] = [least(costs, 'sent'), least(costs, 'seconds'), least(costs, 'cpu')];
    console.log(
      `${String(watches).padStart(7)} watches: acknowledged ${(ASSETS / sent).toFixed(0)} assets/s, ` +
        `compared ${(ASSETS / seconds).toFixed(0)}/s, ${((cpu / ASSETS) * 1e6).toFixed(0)} us of processor time each`,
    );
  }
  for (const { watches, costs } of others) {
    const ratio = (of: keyof Cost) => (least(costs, of) / least(without?.costs ?? [], of)).toFixed(2);
    console.log(`${watches} watches: ${ratio('seconds')} x the time, ${ratio('cpu')} x the processor time`);
  }
}
