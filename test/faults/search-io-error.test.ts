/** I/O errors on the meta pages and syncs of an index. After an error LMDB refuses all work until it is opened again. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isccId, randomAsset } from '../search/support/random-assets.js';
import { type SearchProcess, startProcess } from '../search/support/search-process.js';
import { post } from '../search/support/search-server.js';
import { build } from './support/preload.js';

const EXIT_BROKEN = 70;

/** Starts the service with an index of one asset, and a library that makes writes fail while `trigger` exists. */
async function startWithFaults(name: 'once' | 'sync' | 'names') {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-io-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const trigger = path.join(folder, name);
  const location = `usearch://${path.join(folder, 'indexes')}`;
  const faults = {
    ISCCD_METRICS_PUBLIC: 'true',
    LD_PRELOAD: build('fail-writes.c', folder),
    FAULT_TRIGGER: trigger,
  };
  const service = await startProcess(location, faults);
  onTestFinished(() => service.kill());
  for (const index of ['main', 'other'])
    expect((await post(`${service.url}/indexes`, { name: index })).status).toBe(201);
  expect(await add(service, 0)).toBe(201);
  return { service, trigger, location };
}

const add = async (service: SearchProcess, number: number, index = 'main') =>
  (await post(`${service.url}/indexes/${index}/assets`, [randomAsset(number)])).status;

async function expectAsset(service: SearchProcess, number: number): Promise<void> {
  const response = await fetch(`${service.url}/indexes/main/assets/${isccId(number)}`);
  expect([number, response.status]).toEqual([number, 200]);
  expect(await response.json()).toEqual(randomAsset(number));
}

async function readiness(service: SearchProcess): Promise<unknown> {
  const response = await fetch(`${service.url}/readyz`);
  return [response.status, await response.json()];
}

/** The metric that alerts on indexes whose last write failed. */
async function failingCount(service: SearchProcess): Promise<string | undefined> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return /^isccd_search_indexes_failing (\d+)$/m.exec(metrics)?.[1];
}

describe.skipIf(process.platform !== 'linux')('an index that cannot be written', () => {
  test('ends the process with status 70 if it is unusable, and is whole after a restart', async () => {
    const { service, trigger, location } = await startWithFaults('once');
    await writeFile(trigger, '');
    // The connection may end before the response.
    expect([500, undefined]).toContain(await add(service, 1).catch(() => undefined));
    await vi.waitFor(() => expect(service.exitCode()).toBe(EXIT_BROKEN), 10_000);
    await expect.poll(() => service.output()).toContain('an index can not be written');
    const restarted = await startProcess(location);
    onTestFinished(() => restarted.kill());
    await vi.waitFor(async () => expect(await readiness(restarted)).toEqual([200, { status: 'ready' }]));
    await expectAsset(restarted, 0);
    expect(await add(restarted, 1)).toBe(201);
    await expectAsset(restarted, 1);
  });

  test('is named by /readyz until a write succeeds; what was stored stays readable', async () => {
    const { service, trigger } = await startWithFaults('sync');
    await writeFile(trigger, '');
    expect(await add(service, 1)).toBe(500);
    const failing = { main: 'the last write failed' };
    expect(await readiness(service)).toEqual([200, { status: 'ready', failing }]);
    expect(await failingCount(service)).toBe('1');
    await expectAsset(service, 0);
    await rm(trigger);
    expect(await add(service, 2)).toBe(201);
    expect(await readiness(service)).toEqual([200, { status: 'ready' }]);
    expect(await failingCount(service)).toBe('0');
    await expectAsset(service, 2);
    expect((await fetch(`${service.url}/indexes/main/assets/${isccId(1)}`)).status).toBe(404);
    expect(service.exitCode()).toBeNull();
  });

  test('keeps its name if the folder of indexes cannot be synced, and can be changed', async () => {
    const { service, trigger, location } = await startWithFaults('names');
    const remove = () => fetch(`${service.url}/indexes/main`, { method: 'DELETE' });
    const rename = () => post(`${service.url}/indexes/main/rename`, { name: 'renamed' });
    await writeFile(trigger, '');
    expect((await remove()).status).toBe(500);
    expect((await rename()).status).toBe(500);
    expect(await add(service, 1)).toBe(201);
    await service.kill();
    const restarted = await startProcess(location);
    onTestFinished(() => restarted.kill());
    await vi.waitFor(async () => expect(await readiness(restarted)).toEqual([200, { status: 'ready' }]));
    for (const number of [0, 1]) await expectAsset(restarted, number);
    expect((await fetch(`${restarted.url}/indexes/main`, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(`${restarted.url}/indexes/main`)).status).toBe(404);
  });
});
