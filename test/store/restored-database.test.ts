/** A store whose database has lost its last changes, as after a failover or the restore of a backup. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dump, exchange, restore } from '../support/exchanged-database.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { freshBinding, freshManifest } from './support/fresh-manifest.js';
import { type Place, type StoreClient, startStore } from './support/server.js';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
  return () => postgres.stop();
});

let folder: string;
let place: Place & { readonly url: string };
let stores: StoreClient[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-store-restored-'));
  place = { dataDir: path.join(folder, 'store'), url: await postgres.createDatabase() };
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function start(url = place.url): Promise<StoreClient> {
  const store = await startStore({ ...place, url });
  stores.push(store);
  return store;
}

async function stop(store: StoreClient): Promise<void> {
  stores = stores.filter((other) => other !== store);
  await store.stop();
}

/** Stores a new manifest; returns its binding. */
async function upload(store: StoreClient): Promise<string> {
  const binding = freshBinding();
  expect((await store.upload(await freshManifest(binding))).status).toBe(200);
  return binding.toString('base64');
}

/** Which of the bindings the store finds. */
async function found(store: StoreClient, bindings: readonly string[]): Promise<readonly boolean[]> {
  const answers = await Promise.all(bindings.map((binding) => store.query('io.iscc.v0', binding)));
  for (const { status } of answers) expect(status).toBe(200);
  return answers.map(({ body }) => (body.matches ?? []).length > 0);
}

// The idle store looks again after fewer, as many, and more changes than it had seen.
describe.each([1, 2, 3])('after a failover that lost two changes, and %d others', (count) => {
  test('an idle store finds what the database has', { timeout: 60_000 }, async () => {
    const idle = await start();
    const kept = await upload(idle);
    const file = await dump(place.url, path.join(folder, 'store.pgdump'));
    const lost = [await upload(idle), await upload(idle)];
    expect(await found(idle, [kept, ...lost])).toEqual([true, true, true]);
    const standby = await postgres.createDatabase();
    await restore(file, standby);
    const active = await start(standby);
    const others: string[] = [];
    for (let at = 0; at < count; at += 1) others.push(await upload(active));
    await stop(active);
    await exchange(place.url, standby);
    await expect.poll(async () => (await fetch(`${idle.url}/readyz`)).status, { timeout: 20_000 }).toBe(200);
    const expected = [true, false, false, ...others.map(() => true)];
    expect(await found(idle, [kept, ...lost, ...others])).toEqual(expected);
    const next = await upload(idle);
    expect(await found(idle, [next])).toEqual([true]);
  });
});
