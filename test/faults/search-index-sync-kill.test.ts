/**
 * kill -9 of a process with search, store and resolver, between the commit of a manifest and its sync to the similarity
 * index: after the restart the index is in sync. Another process on the same store needs no restart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { queryUrl } from '../resolver/support/resolver.js';
import { DECLARED, hubEnvironment, MANIFEST_ID } from '../store/declarations/support.js';
import { acceptedSidecars, bytesOf, sidecar } from '../store/support/fixtures.js';
import { startStoreProcess } from '../store/support/process.js';
import { type Place, type StoreClient, storeClient, storeEnvironment } from '../store/support/server.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { HubServer } from '../support/hub-server.js';
import { type ServedProcess, serve } from '../support/serve.js';

const SETTLE = { timeout: 30_000, interval: 100 };
const ROUNDS = 8;
const LONGEST_MS = 30;

interface Services {
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

async function startServices(environment: Record<string, string> = {}): Promise<Services> {
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

/** The manifests that the resolver finds: ISCC-ID by manifest id. */
async function resolved({ process }: Services, value: string): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(queryUrl(process.urls.resolver, value));
  expect(answer.status).toBe(200);
  const { matches } = (await answer.json()) as { matches: { manifestId: string; isccId: string }[] };
  return new Map(matches.map(({ manifestId, isccId }) => [manifestId, isccId]));
}

it('finds a manifest that was committed but not synced', { timeout: 120_000 }, async () => {
  const hub = new HubServer();
  // Other processes skip the killed one's row for this time and some seconds.
  const environment = { ...hubEnvironment(await hub.listen()), MSTORE_HUB_TIMEOUT: '5' };
  let services = await startServices(environment);
  const other = await startStoreProcess(place, { MSTORE_RETRY_SECONDS: '86400' });
  // The order is: commit, hub, sync of the index.
  hub.faults = async () => {
    hub.faults = () => ({ processed: false, answer: { status: 503, body: '{}' } });
    await services.process.kill();
    return { processed: false, answer: 'reset' };
  };
  await expect(services.store.upload(bytesOf(sidecar(DECLARED)))).rejects.toThrow();
  const { body } = await other.query('io.iscc.v0', queryValue(DECLARED));
  expect(body.matches?.map(({ manifestId }) => manifestId)).toEqual([MANIFEST_ID]);

  services = await startServices(environment);
  const found = () => resolved(services, queryValue(DECLARED));
  await vi.waitFor(async () => expect((await found()).has(MANIFEST_ID)).toBe(true), SETTLE);
  // After the declaration the index has it under the hub's ISCC-ID only.
  hub.faults = () => undefined;
  const declared = () => hub.model.inForce()[0]?.isccId.slice(-12);
  await vi.waitFor(async () => {
    expect((await found()).get(MANIFEST_ID)?.slice(-12)).toBe(declared());
    expect((await found()).size).toBe(1);
  }, SETTLE);
  await Promise.all([services.process.stop(), other.stop()]);
  await hub.close();
});

it('finds live manifests and no deleted ones after a kill at any time', {
  timeout: 300_000,
}, async () => {
  const items = acceptedSidecars()
    .filter(({ expect: { indexed = [] } }) => indexed.some(({ units = [] }) => units.length > 0))
    .slice(0, ROUNDS);
  expect(items.length).toBe(ROUNDS);
  let services = await startServices();
  for (const item of items) expect((await services.store.upload(bytesOf(item))).status).toBe(200);
  for (const [round, item] of items.entries()) {
    const id = item.expect.manifestId ?? '';
    const deleting = services.store.remove(id).catch(() => undefined);
    await sleep((round / ROUNDS) * LONGEST_MS);
    await services.process.kill();
    await deleting;
    services = await startServices();
    for (const { name, expect: wanted } of items) {
      const manifestId = wanted.manifestId ?? '';
      const { status } = await services.store.get(manifestId);
      expect([200, 410]).toContain(status);
      const value = wanted.indexed?.find(({ units = [] }) => units.length > 0)?.value ?? '';
      await vi.waitFor(async () => {
        const found = await resolved(services, value);
        expect([round, name, found.has(manifestId)]).toEqual([round, name, status === 200]);
      }, SETTLE);
    }
  }
  await services.process.stop();
});
