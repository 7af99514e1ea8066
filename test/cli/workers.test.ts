/** `isccd serve --workers`: several processes on one address, with uploads in S3 and limits in Redis. */
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SearchResult } from '../../src/client/search-api.js';
import { randomAsset } from '../search/support/random-assets.js';
import { isccd } from '../support/command.js';
import { freePorts } from '../support/free-ports.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { type ServedProcess, serve } from '../support/serve.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { TRANSPORTS } from '../support/transports.js';

const TEST_MS_MAX = 120_000;
const WAIT = { timeout: 60_000, interval: 100 };
const PHOTO = readFileSync(path.resolve(import.meta.dirname, '../fixtures/codes/files/photo-q85_a.jpg'));
const FILENAME = { 'X-Upload-Filename': btoa('photo.jpg') };

let folder: string;
let s3: SeaweedServer;
let redis: RedisServer;
let env: Record<string, string>;
let service: ServedProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-workers-'));
  [s3, redis] = await Promise.all([startSeaweed(), startRedis()]);
  env = {
    ...s3.variables,
    ISCCD_DATA_DIR: folder,
    ISCCD_REDIS_URL: redis.url,
    CODEWEB_PORT: '0',
    CODEWEB_MEDIA_PATH: `s3://${await s3.createBucket()}/codes`,
    ISCCD_METRICS_PORT: '0',
    ISCCD_METRICS_PUBLIC: 'true',
    CODEWEB_LOG_LEVEL: 'info',
  };
}, INSTALL_MAX_MS);

afterEach(async () => {
  await service?.kill();
  service = undefined;
});

afterAll(async () => {
  await Promise.all([s3?.stop(), redis?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

async function start(transport: string, variables: Record<string, string> = {}): Promise<ServedProcess> {
  const options = { env: { ...env, ISCCD_TRANSPORT: transport, ...variables }, args: ['--workers', '2'] };
  service = await serve(['codes'], options);
  return service;
}

/** A request over a connection of its own. */
async function get(address: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(address, { ...init, headers: { ...init.headers, Connection: 'close' } });
  return response;
}

/** Process ids of the workers, by number. */
function workers(output: string): ReadonlyMap<number, string> {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const listening = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'listening');
  return new Map(listening.map(({ worker, service: name }) => [worker, name]));
}

/** Pids of the child processes, which are the workers. */
function children(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

async function metrics(address: string): Promise<string> {
  return (await get(`${address}/metrics`)).text();
}

async function upload(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return get(`${url}/api/v1/iscc`, { method: 'POST', body: PHOTO, headers: { ...FILENAME, ...headers } });
}

describe.each(TRANSPORTS)('two workers over %s', { timeout: TEST_MS_MAX }, (transport) => {
  it('share an address, uploads, jobs and metrics, and name themselves in logs', async () => {
    const { urls, output } = await start(transport);
    const started = await upload(urls.codes, { Prefer: 'respond-async' });
    expect(started.status).toBe(202);
    const job = async () => {
      const response = await get(`${urls.codes}${started.headers.get('location')}`);
      expect(response.status).toBe(200);
      return (await response.json()) as { readonly state: string; readonly media_id: string };
    };
    // Both workers get some of these requests.
    for (let at = 0; at < 20; at += 1) await job();
    await expect.poll(job, WAIT).toMatchObject({ state: 'done' });
    const { media_id: mediaId } = await job();
    const requests = Array.from({ length: 60 }, () => get(`${urls.codes}/api/v1/iscc/${mediaId}`));
    for (const response of await Promise.all(requests)) expect(response.status).toBe(200);
    for (const address of [urls.codes, String(urls.metrics)]) {
      const text = await metrics(address);
      for (const worker of ['1', '2']) {
        const sample = new RegExp(
          `^isccd_http_request_duration_seconds_count{(?=.*route="/api/v1/iscc/{media_id}")(?=.*worker="${worker}").*} [1-9]`,
          'm',
        );
        expect(text).toMatch(sample);
      }
      expect(text).toMatch(/^isccd_workers 2$/m);
      expect(text.match(/^# TYPE process_cpu_seconds_total /gm)).toHaveLength(1);
    }
    await expect.poll(() => [...workers(output()).keys()].sort(), WAIT).toEqual([1, 2]);
    const progress = await get(`${urls.codes}/readyz`);
    expect([progress.status, await progress.json()]).toEqual([
      200,
      { status: 'ready', sandbox: expect.any(String) },
    ]);
  });

  it('replace each other: one that is killed is started again, and the address stays', async () => {
    const { urls, pid, output } = await start(transport);
    const [first, second] = children(pid);
    process.kill(first ?? 0, 'SIGKILL');
    await expect.poll(() => children(pid), WAIT).toEqual([second]);
    for (let at = 0; at < 20; at += 1) expect((await get(`${urls.codes}/readyz`)).status).toBe(200);
    await expect.poll(() => children(pid).length, WAIT).toBe(2);
    await expect.poll(output, WAIT).toContain('a worker was replaced');
    expect(output()).toMatch(/"worker":1,"reason":"SIGKILL","pauseMs":1000,"msg":"a worker ended/);
    const text = await metrics(String(urls.metrics));
    expect(text).toMatch(/^isccd_worker_ends_total{worker="1"} 1$/m);
    expect(text).toMatch(/^isccd_workers 2$/m);
  });

  it('finish their requests after SIGTERM, which the whole group may get', async () => {
    const running = await start(transport);
    const { pid, urls } = running;
    const { hostname, port } = new URL(urls.codes);
    const sending = http.request({
      hostname,
      port,
      method: 'POST',
      path: '/api/v1/iscc',
      agent: false,
      headers: { ...FILENAME, 'Content-Length': PHOTO.length },
    });
    const response = new Promise<number | undefined>((resolve, reject) => {
      sending.once('response', ({ statusCode }) => resolve(statusCode));
      sending.once('error', reject);
    });
    await new Promise((resolve) => sending.write(PHOTO.subarray(0, 1000), resolve));
    await expect.poll(() => metrics(urls.codes), WAIT).toContain('isccd_workers 2');
    for (const child of children(pid)) process.kill(child, 'SIGINT');
    const stopped = running.stop();
    sending.end(PHOTO.subarray(1000));
    expect(await response).toBe(201);
    await stopped;
    expect(running.exitCode()).toBe(0);
    await expect(get(urls.codes)).rejects.toThrow();
  });

  it('do not share the address with another program', async () => {
    const [port] = await freePorts(1);
    await start(transport, { CODEWEB_PORT: String(port) });
    for (const args of [[], ['--workers', '2']]) {
      const other = { ...env, CODEWEB_PORT: String(port), ISCCD_TRANSPORT: transport };
      const { code, stderr } = await isccd(['serve', 'codes', ...args], { env: other });
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`port ${port} is already in use; change CODEWEB_PORT`),
      ]);
    }
  });
});

describe('two workers of the search service', { timeout: TEST_MS_MAX }, () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    return () => postgres.stop();
  }, INSTALL_MAX_MS);

  it('see every write at once, and one that is killed comes back with its cache', async () => {
    const data = await mkdtemp(path.join(tmpdir(), 'isccd-workers-search-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    const variables = {
      ISCCD_DATA_DIR: data,
      INDEXSVC_PORT: '0',
      INDEXSVC_INDEX_URI: await postgres.createDatabase(),
      INDEXSVC_LOG_LEVEL: 'info',
    };
    service = await serve(['search', 'resolver'], {
      env: { ...variables, RESOLVER_PORT: '0' },
      args: ['--workers', '2'],
    });
    const { urls, pid, output } = service;
    const post = (target: string, body: object) =>
      get(`${urls.search}${target}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      });
    expect((await post('/indexes', { name: 'photos' })).status).toBe(201);
    for (let number = 0; number < 30; number += 1) {
      const asset = randomAsset(number);
      expect((await post('/indexes/photos/assets', [asset])).status).toBe(201);
      // Over connections of their own, which both workers accept.
      const reads = Array.from({ length: 4 }, () =>
        get(`${urls.search}/indexes/photos/assets/${asset.iscc_id}`),
      );
      expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
    const caches = async () => (await readdir(data)).filter((name) => name.startsWith('search-cache')).sort();
    expect(await caches()).toEqual(['search-cache-1', 'search-cache-2']);
    process.kill(children(pid)[0] ?? 0, 'SIGKILL');
    await expect.poll(output, WAIT).toContain('a worker was replaced');
    const last = randomAsset(30);
    expect((await post('/indexes/photos/assets', [last])).status).toBe(201);
    for (let at = 0; at < 20; at += 1) {
      const response = await post('/indexes/photos/search', { units: last.units });
      expect(((await response.json()) as SearchResult).global_matches[0]?.iscc_id).toBe(last.iscc_id);
    }
    // A process without workers leaves their caches alone.
    const alone = await serve(['search'], { env: variables });
    await alone.stop();
    expect(await caches()).toEqual(['search-cache', 'search-cache-1', 'search-cache-2']);
  });
});

describe('isccd serve --workers', { timeout: TEST_MS_MAX }, () => {
  const refusal = async (args: string[], variables: Record<string, string> = {}) => {
    const { code, stderr } = await isccd(['serve', ...args], {
      env: { ISCCD_DATA_DIR: folder, ...variables },
    });
    return { code, lines: stderr.trim().split('\n') };
  };

  it('names the variables of all state that would not be shared', async () => {
    const { code, lines } = await refusal(['--workers', '2']);
    expect(code).toBe(2);
    const names = [
      'CODEWEB_MEDIA_PATH',
      'ISCCD_REDIS_URL',
      'INDEXSVC_INDEX_URI',
      'DATABASE_URL',
      'ISCCD_REDIS_URL',
    ];
    expect(lines.map((line) => line.split(/[: ]+/)[1])).toEqual(names);
    expect(lines[0]).toBe(
      'isccd: CODEWEB_MEDIA_PATH must be set with --workers, such as s3://BUCKET/PREFIX: several processes of codes ' +
        'share uploads only there',
    );
  });

  it('refuses a local engine that a variable names', async () => {
    const variables = { DATABASE_URL: `sqlite:///${folder}/x.db`, ISCCD_REDIS_URL: redis.url };
    const { code, lines } = await refusal(['store', '--workers', 'auto'], variables);
    expect([code, lines]).toEqual([2, [expect.stringContaining('DATABASE_URL must be set with --workers')]]);
  });

  it.each(['0', '-1', '1.5', 'many', '257'])('refuses %s workers', async (count) => {
    const { code, lines } = await refusal(['resolver', '--workers', count]);
    expect([code, lines[0]]).toEqual([2, expect.stringContaining('--workers must be auto or an integer')]);
  });

  it('is like serve for one worker', async () => {
    const one = { INDEXSVC_INDEX_URI: 'memory://', INDEXSVC_PORT: '0', ISCCD_DATA_DIR: folder };
    service = await serve(['search'], { env: one, args: ['--workers', '1'] });
    expect(children(service.pid)).toEqual([]);
  });

  it('reports why the workers do not start, with the status of the command', async () => {
    const bad = { ...env, CODEWEB_MEDIA_PATH: 's3://no-such-bucket/x' };
    const { code, stderr } = await isccd(['serve', 'codes', '--workers', '2'], { env: bad });
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('codes does not start')]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('no-such-bucket');
  });
});
