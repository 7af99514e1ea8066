/**
 * A resolver query compared with the bare search call it makes: with known gateways (warm), and with gateways that have to
 * be probed first (cold). Each query finds one manifest.
 *
 * Client, gateways and servers share the machine, so the ratios are more meaningful than the rates.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Pool } from 'undici';
import { SearchClient } from '../src/client/index.js';
import { native } from '../src/native.js';
import { gateways } from '../test/resolver/support/gateways.js';
import { ARGUMENTS, quickOr } from './support/options.js';

const MANIFESTS = Number(ARGUMENTS[0] ?? quickOr(50, 2000));
const CLIENTS = 32;
const ROUNDS = quickOr(1, 3);

const places = await gateways();
const server = fork(path.join(import.meta.dirname, 'support/resolver-server.ts'), {
  execPath: process.execPath,
  execArgv: [path.resolve(import.meta.dirname, '../node_modules/vite-node/vite-node.mjs')],
});
const urls = (await new Promise((resolve) => server.once('message', resolve))) as Record<string, string>;

const units = Array.from({ length: MANIFESTS }, () => native.encodeUnit(3, 0, 0, 256, randomBytes(32)));
const values = units.map((unit) => encodeURIComponent(native.encodeSeq([unit]).toString('base64')));
const search = new SearchClient(urls.search ?? '');
// The service that shares the process with a resolver has the index already.
if (!(await search.listIndexes()).some(({ name }) => name === 'c2pa')) await search.createIndex('c2pa');
await search.addAssets(
  'c2pa',
  units.map((unit, at) => {
    places.kinds.set(`/manifests/${at}`, 'store');
    const gateway = `https://127.0.0.1:${places.https}/manifests/${at}`;
    return {
      iscc_id: native.isccId(0, 1_700_000_000_000_000 + at, 1),
      units: [unit, unit],
      metadata: { gateway },
    };
  }),
);

const bare = { method: 'POST', path: () => '/indexes/c2pa/search?limit=50', body: bareBody } as const;
const query = { method: 'GET', path: queryPath, body: () => null } as const;
const results = new Map<string, number>();
await measure('bare search call', urls.search, bare, ROUNDS);
await measure('cold, search in process', urls.direct, query, 1);
await measure('warm, search in process', urls.direct, query, ROUNDS);
await measure('cold, search over HTTP', urls.overHttp, query, 1);
await measure('warm, search over HTTP', urls.overHttp, query, ROUNDS);
const base = results.get('bare search call') ?? Number.NaN;
for (const [name, perSecond] of results) {
  console.log(
    `${name.padEnd(30)} ${perSecond.toFixed(0).padStart(8)} queries/s  ${(perSecond / base).toFixed(2)} of bare`,
  );
}
server.disconnect();
await places.close();

function bareBody(at: number): string {
  return JSON.stringify({ units: [units[at]] });
}

function queryPath(at: number): string {
  return `/v1/matches/byBinding?alg=io.iscc.v0&value=${values[at]}`;
}

/** Records the best rate of the rounds; each round requests every value once with {@link CLIENTS} clients. */
async function measure(
  name: string,
  url: string | undefined,
  call: typeof bare | typeof query,
  rounds: number,
): Promise<void> {
  const pool = new Pool(url ?? '', { connections: CLIENTS });
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    let next = 0;
    const started = performance.now();
    const client = async () => {
      for (let at = next; at < MANIFESTS; at = next) {
        next += 1;
        const response = await pool.request({
          method: call.method,
          path: call.path(at),
          body: call.body(at),
        });
        const text = await response.body.text();
        // Errors may be fast and must not count.
        if (response.statusCode !== 200 || !/gateway|endpoint/.test(text))
          throw new Error(`${name}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    best = Math.max(best, (MANIFESTS / (performance.now() - started)) * 1000);
  }
  results.set(name, best);
  await pool.close();
}
