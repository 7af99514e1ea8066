/** Receivers of webhooks that admins registered, and the one of the configuration. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Receivers } from '../../src/services/store/webhooks/receivers.js';
import type { Actor } from '../../src/storage/database/audit.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type Place, type StoreClient, startStore } from './support/server.js';
import { accept, PATIENCE, Receiver, waiting } from './support/webhook-receiver.js';

/** That of the stores of these tests. */
const SECRET_KEY = 'secret of the tests';
const LOCAL = new Set(['127.0.0.1']);
const ADMIN: Actor = { kind: 'account', name: 'ada' };
const ALL = ['manifest.stored', 'manifest.deleted', 'declaration.declared', 'declaration.failed'];
const item = sidecar('ok-ed25519');
const bytes = bytesOf(item);
const id = item.expect.manifestId ?? '';

describe.each(ENGINES)('receivers that admins registered, on %s', { timeout: 120_000 }, (engine) => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases?.stop());

  async function opened(place: Place): Promise<Receivers> {
    const { db, close } = await openDatabase(place.url, place.dataDir);
    onTestFinished(close);
    return new Receivers(db, { secretKey: SECRET_KEY, isConfigured: false, allowed: LOCAL });
  }

  /** Registers a receiver, whose secret its deliveries have to be signed with. */
  async function registered(receivers: Receivers, types = ALL): Promise<[Receiver, number]> {
    const receiver = new Receiver();
    const { key, secret } = await receivers.create({ url: await receiver.listen(), types }, ADMIN);
    receiver.key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return [receiver, key];
  }

  async function storeAt(place: Place, allowed: ReadonlySet<string> = LOCAL): Promise<StoreClient> {
    const store = await startStore(place, {}, 'auto', { allowed });
    onTestFinished(() => store.stop());
    return store;
  }

  it('get the events that they chose, each with its own secret, also while the store runs', async () => {
    const place = await databases.create();
    const store = await storeAt(place);
    const receivers = await opened(place);
    const [all] = await registered(receivers);
    const [deletes] = await registered(receivers, ['manifest.deleted']);
    await store.upload(bytes);
    await store.remove(id);
    await expect.poll(() => all.types(), PATIENCE).toEqual(['manifest.stored', 'manifest.deleted']);
    await expect.poll(() => deletes.types(), PATIENCE).toEqual(['manifest.deleted']);
    expect(all.deliveries[1]?.data).toEqual(deletes.deliveries[0]?.data);
    await expect
      .poll(async () => (await receivers.list()).map((one) => one.delivered), PATIENCE)
      .toEqual([2, 1]);
    expect(await waiting(place)).toEqual([]);
  });

  it('do not hold each other up, and show why they fail', async () => {
    const place = await databases.create();
    const receivers = await opened(place);
    const [hanging] = await registered(receivers);
    hanging.plan = () => {};
    const [failing] = await registered(receivers);
    failing.plan = (_, response) => response.writeHead(503).end();
    const [working] = await registered(receivers);
    const store = await storeAt(place);
    await store.upload(bytes);
    await store.remove(id);
    await expect.poll(() => working.types(), PATIENCE).toEqual(['manifest.stored', 'manifest.deleted']);
    await expect
      .poll(async () => (await receivers.list()).map((one) => one.lastFailure?.error), PATIENCE)
      .toEqual([undefined, 'the receiver responded with 503', undefined]);
    expect(hanging.deliveries).toHaveLength(1);
    // An event waits until the response to it is read.
    await expect
      .poll(async () => (await receivers.list()).map((one) => one.waiting), PATIENCE)
      .toEqual([2, 2, 0]);
    const [oldest] = await receivers.waiting(1);
    expect(oldest).toMatchObject({ webhook: 1, type: 'manifest.stored', attempts: 0 });
  });

  it('keep their events while they are disabled, and lose them when they are deleted', async () => {
    const place = await databases.create();
    const receivers = await opened(place);
    const [receiver, key] = await registered(receivers);
    receiver.plan = (_, response) => response.writeHead(500).end();
    const store = await storeAt(place);
    await store.upload(bytes);
    await expect.poll(async () => (await waiting(place))[0]?.attempts, PATIENCE).toBe(1);
    await receivers.disable(key, ADMIN);
    await store.remove(id);
    expect((await receivers.list()).map((one) => one.waiting)).toEqual([1]);
    receiver.plan = accept;
    await receivers.enable(key, ADMIN);
    await expect.poll(() => receiver.types(), PATIENCE).toEqual(['manifest.stored', 'manifest.stored']);
    receiver.plan = (_, response) => response.writeHead(500).end();
    await store.upload(bytesOf(sidecar('ok-es384')));
    await expect.poll(async () => (await receivers.list())[0]?.failed, PATIENCE).toBeGreaterThan(1);
    await expect(receivers.delete(key, ADMIN)).rejects.toThrow('no disabled webhook has the number');
    await receivers.disable(key, ADMIN);
    await receivers.delete(key, ADMIN);
    expect([await receivers.list(), await waiting(place)]).toEqual([[], []]);
  });

  it('get nothing at an address that is not public', async () => {
    const place = await databases.create();
    const receivers = await opened(place);
    const [receiver] = await registered(receivers);
    const store = await storeAt(place, new Set());
    await store.upload(bytes);
    await expect
      .poll(async () => (await receivers.list())[0]?.lastFailure?.error, PATIENCE)
      .toBe('127.0.0.1 is not a public address');
    expect(receiver.deliveries).toEqual([]);
  });
});

describe('the configuration', () => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases('sqlite');
  });
  afterAll(() => databases?.stop());

  it.each([
    [{ MSTORE_WEBHOOK_URL: 'http://127.0.0.1/x' }, 'MSTORE_WEBHOOK_SECRET is required'],
    [{ MSTORE_WEBHOOK_SECRET: 'short' }, 'must be whsec_ and 24 to 64 bytes in Base64'],
    [{ MSTORE_WEBHOOK_URL: 'ftp://x' }, 'MSTORE_WEBHOOK_URL'],
  ])('refuses %j', async (environment, message) => {
    const place = await databases.create();
    await expect(startStore(place, environment as Record<string, string>)).rejects.toThrow(message);
  });

  it('without an address keeps no events', async () => {
    const place = await databases.create();
    const store = await startStore(place);
    onTestFinished(() => store.stop());
    await store.upload(bytes);
    const { db, close } = await openDatabase(place.url, place.dataDir);
    onTestFinished(close);
    expect(await db.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
  });
});
