/** The sandbox of workers, as services start it, with a worker that tries what it forbids. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManifestWorkers } from '../../src/c2pa/manifest-workers.js';
import { Pipeline } from '../../src/services/codes/pipeline/pipeline.js';
import { upload } from '../codes/support/client.js';
import { startCodes } from '../codes/support/server.js';
import { isccd } from '../support/command.js';
import { serve } from '../support/serve.js';

const PROBE = fileURLToPath(new URL('./support/probe-worker.mjs', import.meta.url));
const WITHOUT_LANDLOCK = fileURLToPath(new URL('./support/without-landlock.py', import.meta.url));
const REFUSED = 'EACCES';
/** Number 444 is `landlock_create_ruleset` on all architectures, and returns the version with this flag. */
const LANDLOCK_VERSION = 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))';
/** Asks the kernel, not the addon. */
const HAS_LANDLOCK =
  process.platform === 'linux' && Number(spawnSync('python3', ['-c', LANDLOCK_VERSION]).stdout) > 0;

let folder: string;
let [tcp, unix]: Server[] = [];
let connections: { port: number; socket: string };

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-sandbox-'));
  const socket = path.join(folder, 'socket');
  [tcp, unix] = [createServer().listen(0, '127.0.0.1'), createServer().listen(socket)];
  await Promise.all([tcp, unix].map((server) => once(server, 'listening')));
  connections = { port: (tcp.address() as { port: number }).port, socket };
});
afterEach(async () => {
  vi.unstubAllEnvs();
  tcp?.close();
  unix?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A service whose workers are probes, other data next to its own, and what they found. */
async function probedService() {
  const own = path.join(folder, 'codes');
  await mkdir(path.join(folder, 'store'));
  const database = path.join(folder, 'store', 'store.db');
  await writeFile(database, 'secret');
  vi.stubEnv('DATABASE_URL', 'postgres://user:password@127.0.0.1/name');
  const server = await startCodes({ folder: own, workers: { entry: PROBE } });
  onTestFinished(() => server.close());
  const secrets = {
    key: path.join(own, 'uploader.key'),
    records: path.join(own, 'records', 'data.mdb'),
    database,
  };
  const folders = { own, uploads: path.join(own, 'files'), database: path.dirname(database) };
  const response = await upload(server.url, 'a.txt', JSON.stringify({ secrets, folders, ...connections }));
  const found = probes(await response.text());
  const ready = await (await fetch(`${server.url}/readyz`)).json();
  return { found, ready: ready as unknown };
}

/** The object in the message of a refusal. */
function probes(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

describe.skipIf(!HAS_LANDLOCK)('in the sandbox', () => {
  test('workers of the codes service open no file of a service and no connection', async () => {
    const { found, ready } = await probedService();
    expect(ready).toEqual({ status: 'ready', sandbox: 'on' });
    const { 'work folder': written, variables, ...forbidden } = found;
    expect(written).toBe('ok');
    expect(variables).toContain('PATH');
    expect(variables).not.toContain('DATABASE_URL');
    const names = Object.keys(forbidden);
    expect(names).toContain('key: addon');
    expect(names.length).toBeGreaterThan(30);
    expect(forbidden).toEqual(Object.fromEntries(names.map((name) => [name, REFUSED])));
  });

  test('the same attempts succeed without it', async () => {
    vi.stubEnv('ISCCD_SANDBOX', 'off');
    const { found, ready } = await probedService();
    expect(ready).toEqual({ status: 'ready', sandbox: 'off: ISCCD_SANDBOX=off' });
    const { variables, ...allowed } = found;
    expect(variables).toContain('DATABASE_URL');
    expect(allowed).toEqual(Object.fromEntries(Object.keys(allowed).map((name) => [name, 'ok'])));
  });

  test('readers of manifests open neither', async () => {
    const secret = path.join(folder, 'secret');
    await writeFile(secret, 'secret');
    const workers = new ManifestWorkers(PROBE);
    onTestFinished(() => workers.close());
    const question = { secrets: { secret }, folders: { folder }, ...connections };
    const bytes = Buffer.from(JSON.stringify(question));
    const { variables, ...found } = probes(`${await workers.run({ kind: 'describe', bytes })}`);
    expect(workers.sandbox).toBe('on');
    expect(variables).not.toContain('DATABASE_URL');
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, REFUSED])));
    expect(await readFile(secret, 'utf8')).toBe('secret');
  });

  test('workers of commands read every file, write in their work folder only, and open no connection', async () => {
    const secret = path.join(folder, 'question.txt');
    await writeFile(secret, JSON.stringify({ secrets: { secret }, folders: { folder }, ...connections }));
    const pipeline = new Pipeline(
      {
        ...{ workers: 1, fallback: true, compat: '0.9.7', readBytes: 65_536, jobSecondsMax: 60 },
        models: { runtime: 'onnxruntime-node' },
        places: { work: path.join(folder, 'work') },
      },
      {},
      PROBE,
    );
    onTestFinished(() => pipeline.close());
    const options = { granular: false, semantic: false };
    const file = await pipeline.open(secret, 'question.txt');
    const failure = await pipeline.process(file, options, new AbortController().signal).catch(String);
    expect(pipeline.sandbox).toBe('on');
    expect(probes(String(failure))).toMatchObject({
      'secret: main thread': 'ok',
      'secret: program': 'ok',
      'secret: write': REFUSED,
      'secret: rights': REFUSED,
      'folder: list': 'ok',
      'work folder': REFUSED,
      'environment of the service': REFUSED,
      TCP: REFUSED,
      'Unix socket': REFUSED,
    });
  });
});

describe.skipIf(process.platform !== 'linux')('a kernel without Landlock', () => {
  test('keeps connections closed, and the service starts and says so once', async () => {
    await chmod(folder, 0o755);
    const env = { ISCCD_DATA_DIR: folder, CODEWEB_PORT: '0' };
    const service = await serve(['codes'], { env, under: ['python3', WITHOUT_LANDLOCK] });
    onTestFinished(() => service.kill());
    const sandbox = 'connections only: the kernel or the container has no Landlock';
    const ready = async () => (await fetch(`${service.urls.codes}/readyz`)).json();
    await expect.poll(ready).toEqual({ status: 'ready', sandbox });
    const response = await upload(service.urls.codes, 'a.txt', 'Some text that has a code.');
    expect(response.status).toBe(201);
    await expect.poll(() => service.output()).toContain('have no full sandbox');
    await service.stop();
    expect(service.output().split('have no full sandbox')).toHaveLength(2);
  });
});

test('`check config` says whether it is on', async () => {
  const line = async (env: Record<string, string>) => {
    const { stdout } = await isccd(['check', 'config', 'codes'], { cwd: folder, env });
    return /^ {2}sandbox of the processes [^:]*: (.*)$/m.exec(stdout)?.[1];
  };
  if (HAS_LANDLOCK) expect(await line({})).toBe('on');
  expect(await line({ ISCCD_SANDBOX: 'off' })).toBe('off: ISCCD_SANDBOX=off');
});
