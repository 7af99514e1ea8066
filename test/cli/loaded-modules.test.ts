/** What a start loads: no client of an engine or a receiver that is not configured, no schemas in workers. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { servicePorts } from '../support/all-services.js';
import { serve } from '../support/serve.js';

/** Runs a program that reports the scripts that it loads, and returns the names of their npm packages. */
async function loadedPackages(
  run: (folder: string, env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<ReadonlySet<string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-loaded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Node.js writes the address of each script that it ran there when it exits.
  const coverage = path.join(folder, 'coverage');
  await run(folder, { NODE_V8_COVERAGE: coverage });
  const reports = await Promise.all(
    (await readdir(coverage)).map((name) => readFile(path.join(coverage, name), 'utf8')),
  );
  const urls = reports.flatMap((report) =>
    (JSON.parse(report).result as { url: string }[]).map(({ url }) => url),
  );
  return new Set(urls.map(packageOf));
}

const loadedByServices = (env: Readonly<Record<string, string>>) =>
  loadedPackages(async (folder, reporting) => {
    const server = await serve(SERVICE_NAMES, {
      cwd: folder,
      env: { ...(await servicePorts()), ISCCD_DATA_DIR: folder, ...reporting, ...env },
    });
    await server.stop();
  });

const WORKER = fileURLToPath(new URL('../../dist/services/codes/pipeline/worker.js', import.meta.url));

const loadedByWorker = () =>
  loadedPackages(async (cwd, reporting) => {
    const child = fork(WORKER, [`${2 ** 32}`], { cwd, env: { ...process.env, ...reporting } });
    const ended = once(child, 'exit');
    await once(child, 'message');
    child.disconnect();
    await ended;
  });

/** The npm package of a script, as the build names its bundle: without `@`, with `-` for `/`. */
function packageOf(url: string): string {
  const bundle = /\/dist\/vendor\/([^/]+)\.js$/.exec(url)?.[1];
  const name = bundle ?? /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? 'isccd';
  return name.replace(/^@/, '').replace('/', '-');
}

const CLIENTS = ['aws-sdk-credential-provider-node', 'sentry-core', 'aws4fetch', 'ioredis', 'pg', 'yaml'];

it('loads no client that the configuration does not need', async () => {
  const loaded = await loadedByServices({});
  expect(loaded).toContain('isccd');
  expect(loaded).toContain('libsql');
  expect(loaded).toContain('kysely');
  expect(CLIENTS.filter((name) => loaded.has(name))).toEqual([]);
});

it('loads the client of error tracking if it is configured', async () => {
  const loaded = await loadedByServices({ CODEWEB_ERROR_TRACKING_DSN: 'http://key@127.0.0.1:9/1' });
  expect(loaded).toContain('sentry-core');
});

it('loads no schemas into a worker before it needs them', async () => {
  expect([...(await loadedByWorker())]).toEqual(['isccd']);
});
