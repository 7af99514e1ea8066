/**
 * kill -9 of a process with search, store and resolver, between the commit of a manifest and the index beside the
 * store: after the restart the index is right, and another process of the same store needs no restart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { queryUrl } from '../resolver/support/resolver.js';
import { DECLARED, hubEnvironment, MANIFEST_ID } from '../store/declarations/support.js';
import { bytesOf, sidecar, takenSidecars } from '../store/support/fixtures.js';
import { startStoreProcess } from '../store/support/process.js';
import { type Place, type StoreClient, storeClient, storeEnvironment } from '../store/support/server.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { HubServer } from '../support/hub-server.js';
import { type ServedProcess, serve } from '../support/serve.js';

const SETTLE = { timeout: 30_000, interval: 100 };
const ROUNDS = 8;
const LONGEST_MS = 30;

interface House {
  readonly process: ServedProcess;
  readonly store: StoreClient;
}

let databases: TestDatabases;
let place: Place;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
});
afterAll(() => databases.stop());
beforeEach(async () => {
  place = await databases.create();
});

async function startHouse(environment: Record<string, string> = {}): Promise<House> {
  const quiet = { INDEXSVC_LOG_LEVEL: 'error', RESOLVER_LOG_LEVEL: 'error', MSTORE_LOG_LEVEL: 'error' };
  const ports = { INDEXSVC_PORT: '0', RESOLVER_PORT: '0' };
  const env = {
    ISCCD_DATA_DIR: place.dataDir,
    ...ports,
    ...storeEnvironment(place),
    ...quiet,
    ...environment,
  };
  const process = await serve(['search', 'store', 'resolver'], { env });
  const url = process.urls.store;
  return { process, store: storeClient({ url, port: Number(new URL(url).port), stop: process.stop }) };
}

const queryValue = (name: string) => sidecar(name).expect.indexed?.[0]?.value ?? '';

/** Ids of the manifests that the resolver finds, with their ISCC-IDs. */
async function resolved({ process }: House, value: string): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(queryUrl(process.urls.resolver, value));
  expect(answer.status).toBe(200);
  const { matches } = (await answer.json()) as { matches: { manifestId: string; isccId: string }[] };
  return new Map(matches.map(({ manifestId, isccId }) => [manifestId, isccId]));
}

it('a manifest that was committed, and no more, is found', { timeout: 120_000 }, async () => {
  const hub = new HubServer();
  // For so long, and some seconds, nobody else tries what the killed one was at.
  const environment = { ...hubEnvironment(await hub.listen()), MSTORE_HUB_TIMEOUT: '5' };
  let house = await startHouse(environment);
  const other = await startStoreProcess(place, { MSTORE_RETRY_SECONDS: '86400' });
  // The hub is asked after the commit, and the index is told after the hub.
  hub.faults = async () => {
    hub.faults = () => ({ processed: false, answer: { status: 503, body: '{}' } });
    await house.process.kill();
    return { processed: false, answer: 'reset' };
  };
  await expect(house.store.upload(bytesOf(sidecar(DECLARED)))).rejects.toThrow();
  const { body } = await other.query('io.iscc.v0', queryValue(DECLARED));
  expect(body.matches?.map(({ manifestId }) => manifestId)).toEqual([MANIFEST_ID]);

  house = await startHouse(environment);
  const found = () => resolved(house, queryValue(DECLARED));
  await vi.waitFor(async () => expect((await found()).has(MANIFEST_ID)).toBe(true), SETTLE);
  // Once it is declared, the index knows it by the hub's ISCC-ID, and by no other.
  hub.faults = () => undefined;
  const declared = () => hub.model.inForce()[0]?.isccId.slice(-12);
  await vi.waitFor(async () => {
    expect((await found()).get(MANIFEST_ID)?.slice(-12)).toBe(declared());
    expect((await found()).size).toBe(1);
  }, SETTLE);
  await Promise.all([house.process.stop(), other.stop()]);
  await hub.close();
});

it('what is there is found and what is deleted is not, wherever it was killed', {
  timeout: 300_000,
}, async () => {
  const items = takenSidecars()
    .filter(({ expect: { indexed = [] } }) => indexed.some(({ units = [] }) => units.length > 0))
    .slice(0, ROUNDS);
  expect(items.length).toBe(ROUNDS);
  let house = await startHouse();
  for (const item of items) expect((await house.store.upload(bytesOf(item))).status).toBe(200);
  for (const [round, item] of items.entries()) {
    const id = item.expect.manifestId ?? '';
    const deleting = house.store.remove(id).catch(() => undefined);
    await sleep((round / ROUNDS) * LONGEST_MS);
    await house.process.kill();
    await deleting;
    house = await startHouse();
    for (const { name, expect: wanted } of items) {
      const manifestId = wanted.manifestId ?? '';
      const { status } = await house.store.get(manifestId);
      expect([200, 410]).toContain(status);
      const value = wanted.indexed?.find(({ units = [] }) => units.length > 0)?.value ?? '';
      await vi.waitFor(async () => {
        const found = await resolved(house, value);
        expect([round, name, found.has(manifestId)]).toEqual([round, name, status === 200]);
      }, SETTLE);
    }
  }
  await house.process.stop();
});
