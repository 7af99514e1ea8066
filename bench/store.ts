/**
 * The manifest store over HTTP, without rate limits, on SQLite: uploads, fetches with and without If-None-Match, and
 * queries with 10,000 and 1,000,000 indexed units. `bench/c2pa.ts` compares validation with a peer.
 *
 * Usage: store.ts [SECONDS per measurement] [UNITS ...]
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { native } from '../src/native.js';
import { openDatabase } from '../src/storage/database/open.js';
import type { Db } from '../src/storage/database/tables.js';
import { ARGUMENTS, quickOr } from './support/options.js';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const [seconds = quickOr('0.2', '3'), ...sizes] = ARGUMENTS;
const SECONDS = Number(seconds);
const UNITS = sizes.length > 0 ? sizes.map(Number) : quickOr([1000], [10_000, 1_000_000]);
const UPLOADS = quickOr(20, 300);
const CONNECTIONS = 16;
/** Headers of 256-bit Text, Data and Instance units. */
const HEADERS = ['2107', '3007', '4007'].map((hex) => Buffer.from(hex, 'hex'));
const BITS_BYTES = 32;
const SEEDED_PER_INSERT = 2000;
/** Limited by SQLite's maximum number of parameters per statement. */
const ROWS_PER_STATEMENT = 500;

/** ETags of fetched paths. */
const tags = new Map<string, string>();

const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-bench-'));
try {
  await writes();
  for (const units of UNITS) await queries(units);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function writes(): Promise<void> {
  const { chainPem, keyPem, rootPem } = await native.makeTestCertificate('es256', 'bench');
  const anchors = path.join(folder, 'anchors.pem');
  await writeFile(anchors, rootPem);
  const manifests = await Promise.all(
    Array.from({ length: UPLOADS }, (_, n) =>
      native.signManifest({
        chainPem,
        keyPem,
        algorithm: 'es256',
        title: `Picture ${n}`,
        format: 'image/jpeg',
        assetHash: randomBytes(BITS_BYTES),
        bindings: [{ alg: 'io.iscc.v0', value: sequence() }],
      }),
    ),
  );
  const store = await start(path.join(folder, 'writes'), { MSTORE_TRUST_ANCHORS: anchors });
  const paths: string[] = [];
  const begin = performance.now();
  await inParallel(CONNECTIONS, manifests, async (body) => {
    const response = await store.pool.request({
      method: 'POST',
      path: '/v1/manifests',
      headers: { 'content-type': 'application/c2pa' },
      body,
    });
    const { manifestId } = (await response.body.json()) as { manifestId: string };
    if (response.statusCode !== 200) throw new Error(`upload: ${response.statusCode}`);
    paths.push(`/v1/manifests/${encodeURIComponent(manifestId)}`);
  });
  report('uploads', (UPLOADS / (performance.now() - begin)) * 1000);
  const fetched = await forSeconds((n) => get(store.pool, paths[n % paths.length] ?? '', 200));
  report('fetches', fetched.perSecond, fetched);
  const unmodified = await forSeconds((n) => get(store.pool, paths[n % paths.length] ?? '', 304));
  report('fetches with If-None-Match', unmodified.perSecond, unmodified);
  await store.stop();
}

async function queries(units: number): Promise<void> {
  const dataDir = path.join(folder, `queries-${units}`);
  await mkdir(dataDir);
  // The first start creates the database and marks the folder as belonging to it.
  await (await start(dataDir)).stop();
  const { db, close } = await openDatabase(undefined, dataDir);
  await seed(db, Math.ceil(units / HEADERS.length));
  await close();
  const begin = performance.now();
  const store = await start(dataDir);
  const loadSeconds = ((performance.now() - begin) / 1000).toFixed(1);
  const query = async () => {
    const body = JSON.stringify({ alg: 'io.iscc.v0', value: sequence().toString('base64') });
    const response = await store.pool.request({ method: 'POST', path: '/v1/matches/byBinding', body });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`query: ${response.statusCode}`);
  };
  const sequential = await forSeconds(query, 1);
  const concurrent = await forSeconds(query);
  const label = `queries with ${units} units`;
  report(`${label}, sequential`, sequential.perSecond, sequential);
  report(`${label}, ${CONNECTIONS} concurrent`, concurrent.perSecond, concurrent);
  console.log(`  started and loaded in ${loadSeconds} s`);
  await store.stop();
}

function sequence(): Buffer {
  return Buffer.concat(HEADERS.flatMap((header) => [header, randomBytes(BITS_BYTES)]));
}

/** Inserts the rows that uploads would create. */
async function seed(db: Db, manifests: number): Promise<void> {
  for (let from = 0; from < manifests; from += SEEDED_PER_INSERT) {
    const count = Math.min(SEEDED_PER_INSERT, manifests - from);
    await db.transaction().execute(async (transaction) => {
      for (let at = 0; at < count; at += ROWS_PER_STATEMENT) {
        const numbers = Array.from(
          { length: Math.min(ROWS_PER_STATEMENT, count - at) },
          (_, n) => from + at + n,
        );
        const rows = await transaction
          .insertInto('manifests')
          .values(numbers.map(manifestRow))
          .returning('key')
          .execute();
        const common = { attempts: 0, updated_at: 0, live: 1 as const, status: 'disabled' as const };
        await transaction
          .insertInto('declarations')
          .values(
            rows.map(({ key }) => ({ ...common, manifest_key: key, gateway: `${key}`, open: 0 as const })),
          )
          .execute();
        await transaction
          .insertInto('bindings')
          .values(
            rows.map(({ key }) => ({
              manifest_key: key,
              ordinal: 0,
              alg: 'io.iscc.v0',
              value: sequence(),
              units: null,
            })),
          )
          .execute();
      }
    });
  }
}

function manifestRow(n: number) {
  return {
    manifest_id: `urn:c2pa:${n}`,
    sha256: n.toString(16).padStart(64, '0'),
    size: 3000,
    uploaded_at: n,
    trusted: 1 as const,
    uploader: '',
    live: 1 as const,
    deleted_at: null,
    binding_count: 1,
    unit_count: HEADERS.length,
  };
}

async function start(dataDir: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, 'serve', 'store'], {
    env: {
      ...process.env,
      APP_SECRET_KEY: 'bench',
      MSTORE_URL: 'http://localhost',
      MSTORE_PORT: '0',
      MSTORE_DATA_DIR: dataDir,
      MSTORE_UNTHROTTLED: '127.0.0.1',
      MSTORE_LOG_LEVEL: 'error',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  while (!/http:\S+/.test(output)) output += String((await once(child.stdout, 'data'))[0]);
  const [url = ''] = /http:\/\/[\d.:]+/.exec(output) ?? [];
  const pool = new Pool(url, { connections: CONNECTIONS });
  const stop = async () => {
    await pool.close();
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { pool, stop };
}

async function get(pool: Pool, address: string, status: 200 | 304): Promise<void> {
  const tag = tags.get(address);
  const headers = status === 304 && tag !== undefined ? { 'if-none-match': tag } : {};
  const response = await pool.request({ method: 'GET', path: address, headers });
  await response.body.dump();
  tags.set(address, String(response.headers.etag));
  if (response.statusCode !== status && (status === 200 || tag !== undefined)) {
    throw new Error(`fetch: ${response.statusCode}`);
  }
}

interface Rate {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function forSeconds(work: (n: number) => Promise<void>, lanes = CONNECTIONS): Promise<Rate> {
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + SECONDS * 1000;
  const lane = async (number: number) => {
    for (let n = number; performance.now() < end; n += lanes) {
      const start = performance.now();
      await work(n);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  const perSecond = (times.length / (performance.now() - begin)) * 1000;
  times.sort((a, b) => a - b);
  const percentile = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { perSecond, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}

async function inParallel<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>) {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function report(name: string, perSecond: number, times?: Rate): void {
  const latency = times ? `   p50 ${times.p50Ms.toFixed(2)} ms   p99 ${times.p99Ms.toFixed(2)} ms` : '';
  console.log(`${name.padEnd(46)} ${perSecond.toFixed(0).padStart(7)}/s${latency}`);
}
