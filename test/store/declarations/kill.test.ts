/** kill -9 at every request to the hub: no declaration is made twice or lost. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestDatabases, testDatabases } from '../../support/databases.js';
import type { HubRequest } from '../../support/hub.js';
import { HubServer } from '../../support/hub-server.js';
import { bytesOf, sidecar } from '../support/fixtures.js';
import { type StoreProcess, startStoreProcess } from '../support/process.js';
import { DECLARED, GATEWAY, hubEnvironment, MANIFEST_ID, seedForeign } from './support.js';

/** Requests at which the store is killed. */
const POINTS: Readonly<Record<string, (request: HubRequest) => boolean>> = {
  'the declaration': ({ method, headers }) => method === 'POST' && !headers['x-force-declaration'],
  'the forced declaration': ({ headers }) => headers['x-force-declaration'] === 'true',
  'the withdrawal': ({ method }) => method === 'DELETE',
};
const SETTLE = { timeout: 60_000, interval: 100 };
/** For restarts, leases and rounds on a busy machine. */
const TEST_MS = 180_000;

let databases: TestDatabases;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
});
afterAll(() => databases.stop());

describe.each(['before', 'after'])('killed %s the hub performs', (moment) => {
  // Concurrent tests need the `onTestFinished` of their own context.
  it.concurrent.for(Object.keys(POINTS))('%s', { timeout: TEST_MS }, async (point, { onTestFinished }) => {
    const hub = new HubServer();
    const place = await databases.create();
    const environment = { ...hubEnvironment(await hub.listen()), MSTORE_HUB_TIMEOUT: '3' };
    seedForeign(hub.model);
    let store: StoreProcess = await startStoreProcess(place, environment);
    onTestFinished(async () => {
      await store.stop();
      await hub.close();
    });
    let killed = 0;
    let revived = 0;
    let killing: Promise<void> | undefined;
    hub.faults = async (request) => {
      if (killed > 0 || !POINTS[point]?.(request)) return undefined;
      killed += 1;
      if (moment === 'after') await hub.model.handle(request);
      killing = store.kill();
      await killing;
      return { processed: false, answer: 'reset' };
    };
    // The kill may come after the response: declarations continue without the client.
    const revive = async () => {
      if (revived === killed) return;
      await vi.waitUntil(() => killing !== undefined);
      await killing;
      store = await startStoreProcess(place, environment);
      revived = killed;
    };
    const survive = async (request: Promise<Response>) => {
      const before = killed;
      await request.catch((error) => {
        if (killed === before) throw error;
      });
      await revive();
    };

    await survive(store.upload(bytesOf(sidecar(DECLARED))));
    await vi.waitFor(async () => {
      await revive();
      const response = await store.upload(bytesOf(sidecar(DECLARED)));
      const { declaration } = (await response.json()) as { declaration: object };
      const [own] = hub.model.inForce(GATEWAY);
      expect(declaration).toMatchObject({ status: 'declared', isccId: own?.isccId });
    }, SETTLE);
    expect(hub.model.inForce(GATEWAY).length).toBe(1);

    await survive(store.remove(MANIFEST_ID));
    await vi.waitFor(async () => {
      await revive();
      expect([hub.model.inForce(GATEWAY), killed]).toEqual([[], 1]);
    }, SETTLE);
    await revive();
    expect((await store.get(MANIFEST_ID)).status).toBe(410);
    const forced = hub.model.log.filter(({ gateway }) => gateway === GATEWAY);
    expect(forced.length).toBe(1);
  });
});
