/** Webhooks to a real receiver: events, signatures, retries, and processes that are killed or share a database. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { HubServer } from '../support/hub-server.js';
import { DECLARED, GATEWAY, hubEnvironment, MANIFEST_ID } from './declarations/support.js';
import { acceptedSidecars, bytesOf, sidecar } from './support/fixtures.js';
import { startStoreProcess } from './support/process.js';
import { type Place, STORE_URL, type StoreClient, startStore } from './support/server.js';
import {
  accept,
  PATIENCE,
  Receiver,
  retryNow,
  waiting,
  webhookEnvironment,
} from './support/webhook-receiver.js';

const item = sidecar('ok-ed25519');
const bytes = bytesOf(item);
const id = item.expect.manifestId ?? '';
const urlOf = (manifestId: string) => `${STORE_URL}/v1/manifests/${encodeURIComponent(manifestId)}`;

describe.each(ENGINES)('on %s', { timeout: 120_000 }, (engine) => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases?.stop());

  async function started(
    receiver: Receiver,
    environment: Record<string, string> = {},
    place?: Place,
  ): Promise<StoreClient & { place: Place }> {
    const at = place ?? (await databases.create());
    const store = await startStore(at, { ...webhookEnvironment(await receiver.listen()), ...environment });
    onTestFinished(() => store.stop());
    return { ...store, place: at };
  }

  it('reports uploads and deletes, signed', async () => {
    const receiver = new Receiver();
    const store = await started(receiver, { MSTORE_UNDO_DAYS: '0' });
    expect((await store.upload(bytes)).status).toBe(200);
    expect((await store.upload(bytes)).status).toBe(200);
    expect((await store.remove(id)).status).toBe(204);
    expect((await store.upload(bytes)).status).toBe(409);
    await expect.poll(() => receiver.types(), PATIENCE).toEqual(['manifest.stored', 'manifest.deleted']);
    const about = { manifestId: id, manifestUrl: urlOf(id), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    const { size } = { size: bytes.length };
    expect(receiver.deliveries.map(({ data }) => data)).toEqual([
      { ...about, size, trusted: item.expect.trusted, publisher: null, restored: false },
      { ...about, reason: 'deleted', restorableUntil: null },
    ]);
    await expect.poll(() => waiting(store.place), PATIENCE).toEqual([]);
  });

  it('reports declarations, and failed ones once', async () => {
    const receiver = new Receiver();
    let url = '';
    const hub = new HubServer({
      resolveDid: async () => (await fetch(`${url}/.well-known/did.json`)).json(),
    });
    onTestFinished(() => hub.close());
    let isRefusing = true;
    const refusal = { status: 422, body: '{"error":{"code":"validation_failed","message":"no"}}' };
    hub.faults = () => (isRefusing ? { processed: false, answer: refusal } : undefined);
    const store = await started(receiver, hubEnvironment(await hub.listen()));
    url = store.url;
    expect((await store.upload(bytesOf(sidecar(DECLARED)))).status).toBe(200);
    const failed = ['manifest.stored', 'declaration.failed'];
    await expect.poll(() => receiver.types(), PATIENCE).toEqual(failed);
    // Several rounds of retries.
    await expect.poll(() => hub.requests.length, PATIENCE).toBeGreaterThan(3);
    isRefusing = false;
    await expect.poll(() => receiver.types(), PATIENCE).toEqual([...failed, 'declaration.declared']);
    const about = { manifestId: MANIFEST_ID, manifestUrl: GATEWAY, hub: expect.stringMatching(/^http:/) };
    expect(receiver.deliveries.slice(1).map(({ data }) => data)).toEqual([
      { ...about, error: expect.any(String) },
      { ...about, isccId: hub.model.inForce(GATEWAY)[0]?.isccId },
    ]);
  });

  it('sends a failed event again, the same bytes under the same id, while later events are sent', async () => {
    const receiver = new Receiver();
    let refusals = 0;
    receiver.plan = (delivery, response) => {
      const isRefused = delivery.type === 'manifest.stored' && refusals < 2;
      if (isRefused) refusals += 1;
      response.writeHead(isRefused ? 500 : 200).end();
    };
    const store = await started(receiver);
    await store.upload(bytes);
    await store.remove(id);
    for (const attempts of [1, 2]) await retryNow(store.place, attempts);
    const [stored, deleted] = ['manifest.stored', 'manifest.deleted'];
    await expect.poll(() => receiver.types(), PATIENCE).toEqual([stored, deleted, stored, stored]);
    const bodies = receiver.deliveries.filter(({ type }) => type === stored).map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
    await expect.poll(() => waiting(store.place), PATIENCE).toEqual([]);
    const gone = receiver.deliveries.find(({ type }) => type === deleted)?.data;
    expect(Date.parse(String(gone?.restorableUntil))).toBeGreaterThan(Date.now());
  });

  it('sends again after a receiver that hangs or redirects', async () => {
    const receiver = new Receiver();
    let seen = 0;
    receiver.plan = (delivery, response) => {
      seen += 1;
      if (seen === 2) response.writeHead(307, { Location: '/elsewhere' }).end();
      if (seen > 2) accept(delivery, response);
    };
    const store = await started(receiver, { MSTORE_WEBHOOK_TIMEOUT: '1' });
    await store.upload(bytes);
    for (const attempts of [1, 2]) await retryNow(store.place, attempts);
    await expect.poll(() => receiver.deliveries.length, PATIENCE).toBe(3);
    expect(new Set(receiver.deliveries.map((one) => one.id)).size).toBe(1);
    await expect.poll(() => waiting(store.place), PATIENCE).toEqual([]);
  });

  it('sends no event again that was accepted with a body that does not end', async () => {
    const receiver = new Receiver();
    receiver.plan = (_, response) => void response.writeHead(200).write('x');
    const store = await started(receiver, { MSTORE_WEBHOOK_TIMEOUT: '1' });
    await store.upload(bytes);
    await store.remove(id);
    await expect.poll(() => waiting(store.place), PATIENCE).toEqual([]);
    expect(receiver.types()).toEqual(['manifest.stored', 'manifest.deleted']);
  });

  it('gives up an event after three days, which a metric counts', async () => {
    const receiver = new Receiver();
    receiver.plan = (_, response) => response.writeHead(500).end();
    const store = await started(receiver);
    await store.upload(bytes);
    await expect.poll(async () => (await waiting(store.place))[0]?.attempts, PATIENCE).toBe(1);
    const figures = async () =>
      (await store.metrics()).split('\n').filter((line) => line.startsWith('isccd_store_webhook'));
    expect(await figures()).toEqual([
      'isccd_store_webhook_deliveries_total{outcome="failed"} 1',
      'isccd_store_webhook_waiting 1',
    ]);
    const { db, close } = await openDatabase(store.place.url, store.place.dataDir);
    onTestFinished(close);
    const old = Date.now() - 73 * 3_600_000;
    await db.updateTable('webhook_events').set({ at: old, next_at: 0 }).execute();
    // Only a clock that jumped ahead makes so few attempts in three days.
    await expect.poll(async () => (await waiting(store.place))[0]?.attempts, PATIENCE).toBe(2);
    await db.updateTable('webhook_events').set({ attempts: 80, next_at: 0 }).execute();
    await expect.poll(() => waiting(store.place), PATIENCE).toEqual([]);
    expect(receiver.deliveries).toHaveLength(3);
    await expect
      .poll(figures, PATIENCE)
      .toEqual([
        'isccd_store_webhook_deliveries_total{outcome="failed"} 2',
        'isccd_store_webhook_deliveries_total{outcome="given-up"} 1',
        'isccd_store_webhook_waiting 0',
      ]);
  });

  it('loses no event when the process is killed between the change and the delivery', async () => {
    const receiver = new Receiver();
    // Hangs, so that the kill comes before the response.
    receiver.plan = () => {};
    const url = await receiver.listen();
    const place = await databases.create();
    const killed = await startStoreProcess(place, webhookEnvironment(url));
    await killed.upload(bytes);
    await expect.poll(() => receiver.deliveries.length, PATIENCE).toBe(1);
    await killed.remove(id);
    await killed.kill();
    const [first, second, ...others] = await waiting(place);
    expect([first?.type, second?.type, others]).toEqual(['manifest.stored', 'manifest.deleted', []]);
    receiver.plan = accept;
    // The lease of the killed process is long: it ends as if the time had passed.
    const { db, close } = await openDatabase(place.url, place.dataDir);
    await db.updateTable('webhooks').set({ leased_until: 0 }).execute();
    await close();
    const next = await startStoreProcess(place, webhookEnvironment(url));
    onTestFinished(() => next.stop());
    await expect.poll(() => waiting(place), PATIENCE).toEqual([]);
    expect(receiver.deliveries.map((one) => one.id)).toEqual([
      first?.event_id,
      first?.event_id,
      second?.event_id,
    ]);
  });

  it('delivers each event once from several processes on one database', async () => {
    const receiver = new Receiver();
    const url = await receiver.listen();
    const place = await databases.create();
    const start = () => startStoreProcess(place, webhookEnvironment(url));
    const stores = [await start(), await start()];
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.stop()))));
    const items = acceptedSidecars().slice(0, 12);
    const uploads = items.map((one, at) => stores[at % stores.length]?.upload(bytesOf(one)));
    for (const response of await Promise.all(uploads)) expect(response?.status).toBe(200);
    await expect.poll(() => waiting(place), PATIENCE).toEqual([]);
    const ids = receiver.deliveries.map((one) => one.id);
    expect([ids.length, new Set(ids).size]).toEqual([items.length, items.length]);
  });
});
