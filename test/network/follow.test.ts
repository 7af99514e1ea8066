/** The search service follows hubs: real processes, real HTTP, hubs that misbehave. */
import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isccd } from '../support/command.js';
import { expectAssets } from './support/node.js';
import {
  assetCount,
  env,
  folder,
  hub,
  service,
  start,
  stateOf,
  TEST_MS_MAX,
  until,
  useNode,
} from './support/one-node.js';

useNode();

describe('a node', { timeout: TEST_MS_MAX }, () => {
  it('indexes what hubs declare, short and long logs, and follows them as they grow', async () => {
    const [short, long] = [await hub(1, 300), await hub(4095, 2000)];
    await start();
    for (const double of [short, long]) {
      await until(double, 'following', double.size);
      await expectAssets(String(service?.urls.search), double);
    }
    for (const count of [1, 255, 300]) {
      short.append(count);
      await until(short, 'following', short.size);
    }
    await expectAssets(String(service?.urls.search), short);
    expect(await assetCount()).toBe(short.assets.length + long.assets.length);
    const verified = await isccd(['network', 'verify', '--json'], { env });
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
    const { stdout } = await isccd(['network', 'status', '--url', String(service?.urls.search)], { env });
    expect(stdout).toMatch(/^ +1 +127\.0\.0\.1:\d+ +following +856\/856 +\d+ s ago$/m);
  });

  it('has the same index after kills at any time, and reads nothing twice', async () => {
    const double = await hub(1, 2500);
    for (let round = 0; round < 6; round += 1) {
      await start();
      await sleep(150 * round);
      await service?.kill();
      double.append(37);
    }
    await start();
    await until(double, 'following', double.size);
    await expectAssets(String(service?.urls.search), double);
    expect(await assetCount()).toBe(double.assets.length);
    await service?.kill();
    double.requests.length = 0;
    await start();
    await until(double, 'following', double.size);
    expect(double.requests.filter((request) => request.includes('tile'))).toEqual([]);
  });

  it('keeps its index while a hub shows an older log, and goes on with it afterwards', async () => {
    const double = await hub(1, 400);
    await start();
    await until(double, 'following', 400);
    double.staleSize = 300;
    await until(double, 'rolled_back', 400);
    expect(await assetCount()).toBe(double.assets.length);
    double.staleSize = undefined;
    double.append(20);
    await until(double, 'following', 420);
  });

  it('accepts a new key only after the hub has published it', async () => {
    const double = await hub(1, 30);
    await start();
    await until(double, 'following', 30);
    double.rotateKey(false);
    double.append(5);
    await until(double, 'unverified', 30);
    double.listKey();
    await until(double, 'following', 35);
    expect(await stateOf(double)).toMatchObject({ key_source: 'did' });
  });

  it('takes nothing from damaged bundles and recovers; uses full bundles where partial ones are gone', async () => {
    const double = await hub(1, 300);
    await start();
    await until(double, 'following', 300);
    double.corruptBundles = true;
    double.append(3);
    await until(double, 'unverifiable', 300);
    double.corruptBundles = false;
    await until(double, 'following', 303);
    double.failure = 503;
    await until(double, 'unreachable', 303);
    double.failure = undefined;
    double.hidePartials = true;
    double.append(512 - 303);
    await until(double, 'following', 512);
  });

  it('serves only the index of the network, read-only', async () => {
    const double = await hub(1, 30);
    await start();
    await until(double, 'following', 30);
    const [isccId] = double.isccIds;
    const statusOf = async (method: string, address: string, body?: unknown) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${service?.urls.search}${address}`, { method, ...init });
      return response.status;
    };
    expect(await statusOf('GET', '/indexes')).toBe(404);
    expect(await statusOf('POST', '/indexes', { name: 'mine' })).toBe(404);
    expect(await statusOf('DELETE', '/indexes/idptest')).toBe(404);
    expect(await statusOf('POST', '/indexes/idptest/assets', [])).toBe(404);
    expect(await statusOf('DELETE', `/indexes/idptest/assets/${isccId}`)).toBe(404);
    expect(await statusOf('PUT', '/indexes/idptest/search')).toBe(404);
    const hidden = await fetch(`${service?.urls.search}/indexes/idptest/assets/${isccId}`, {
      method: 'DELETE',
    });
    expect(hidden.headers.get('Allow')).toBeNull();
    expect(await hidden.json()).toEqual({ detail: 'Not Found' });
    expect(await statusOf('GET', `/indexes/idptest/assets/${isccId}`)).toBe(200);
    expect(await statusOf('GET', `/indexes/other/assets/${isccId}`)).toBe(404);
  });

  it('refuses changes of the index by others where other indexes are served, too', async () => {
    const double = await hub(1, 30);
    Object.assign(env, { INDEXSVC_AGGREGATOR_EXCLUSIVE: 'false' });
    await start();
    await until(double, 'following', 30);
    const at = ['--at', String(service?.urls.search)];
    expect(await isccd(['index', 'create', 'mine', ...at])).toMatchObject({ code: 0 });
    for (const command of [
      ['create', 'idptest'],
      ['rm', 'idptest'],
    ]) {
      const { code, stderr } = await isccd(['index', ...command, ...at]);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('read-only') });
    }
  });

  it('does not start on a damaged index, and says so', async () => {
    const double = await hub(1, 300);
    await start();
    await until(double, 'following', 300);
    await service?.stop();
    const file = await open(path.join(folder, 'search/idptest/data.mdb'), 'r+');
    await file.write(Buffer.alloc(2 * 4096), 0, 2 * 4096, 0);
    await file.close();
    await expect(start()).rejects.toThrow("Index 'idptest' is damaged");
    for (const command of ['verify', 'status']) {
      const { code, stdout, stderr } = await isccd(['network', command], { env });
      expect({ code, text: stdout + stderr }).toMatchObject({
        code: 1,
        text: expect.stringContaining('idptest can not be read'),
      });
    }
  });

  it.each([0, 8192, 65_536])(
    'creates the index again if a power loss left a file of %d zeros',
    async (bytes) => {
      const double = await hub(1, 30);
      await start();
      await service?.stop();
      await writeFile(path.join(folder, 'search/idptest/data.mdb'), Buffer.alloc(bytes));
      await start();
      await until(double, 'following', 30);
      expect(await assetCount()).toBe(double.assets.length);
    },
  );

  it('removes a hub on request and reads it again from the beginning', async () => {
    const double = await hub(1, 300);
    await start();
    await until(double, 'following', 300);
    await service?.stop();
    expect(await isccd(['network', 'reset', '1'], { env, input: '' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('confirm with --yes'),
    });
    expect(await isccd(['network', 'reset', '1', '--yes'], { env })).toMatchObject({ code: 0 });
    await start();
    await until(double, 'following', 300);
    expect(await assetCount()).toBe(double.assets.length);
  });
});
