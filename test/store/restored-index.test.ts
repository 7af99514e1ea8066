/** A store that was restored to an earlier state while its similarity index was not: the index is ahead of it. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SearchClient } from '../../src/client/search-client.js';
import { native } from '../../src/native.js';
import { dump, exchange, restore } from '../support/exchanged-database.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type ServedProcess, type ServeOptions, serve } from '../support/serve.js';
import { freshManifest } from './support/fresh-manifest.js';
import { OPERATOR_TOKEN, STORE_URL, storeEnvironment } from './support/server.js';

const AHEAD = 'the similarity index is ahead of the database';
/** Another store's manifest in the same index. */
const FOREIGN = 'https://other.example/v1/manifests/urn%3Ac2pa%3Aother';

/** Where the index is: in the process of the store (folder, database of its own), or in another service. */
type IndexPlace = 'folder' | 'database' | 'service';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
  return () => postgres.stop();
});

let folder: string;
let running: ServedProcess[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-restored-index-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function started(
  services: Parameters<typeof serve>[0],
  env: ServeOptions['env'],
): Promise<ServedProcess> {
  const one = await serve(services, { env: { ISCCD_DATA_DIR: folder, INDEXSVC_PORT: '0', ...env } });
  running.push(one);
  return one;
}

async function stopped(one: ServedProcess): Promise<void> {
  running = running.filter((other) => other !== one);
  await one.stop();
}

const dataDir = () => path.join(folder, 'store');

/** Starts a store with its index in one of the places. */
async function launcher(place: IndexPlace, databaseUrl?: string): Promise<() => Promise<Launched>> {
  const env = { ...storeEnvironment({ dataDir: dataDir(), url: databaseUrl }), MSTORE_LOG_LEVEL: 'info' };
  if (place === 'service') {
    const { urls } = await started(['search'], {});
    const index = { MSTORE_INDEX: `${urls.search}/indexes/c2pa` };
    return async () => {
      const store = await started(['store'], { ...env, ...index });
      return { store, url: store.urls.store, search: new SearchClient(urls.search) };
    };
  }
  const uri = place === 'database' ? { INDEXSVC_INDEX_URI: await postgres.createDatabase() } : {};
  return async () => {
    const store = await started(['search', 'store'], { ...env, ...uri });
    return { store, url: store.urls.store, search: new SearchClient(store.urls.search) };
  };
}

interface Launched {
  readonly store: ServedProcess;
  readonly url: string;
  readonly search: SearchClient;
}

/** Stores a new manifest; returns its address. */
async function upload({ url }: Pick<Launched, 'url'>): Promise<string> {
  const body = await freshManifest();
  const headers = { 'Content-Type': 'application/c2pa' };
  const response = await fetch(`${url}/v1/manifests`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  const { manifestId } = (await response.json()) as { manifestId: string };
  return `${STORE_URL}/v1/manifests/${encodeURIComponent(manifestId)}`;
}

async function remove({ url }: Pick<Launched, 'url'>, address: string): Promise<void> {
  const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  const response = await fetch(address.replace(STORE_URL, url), { method: 'DELETE', headers });
  expect(response.status).toBe(204);
}

/** Addresses of the manifests in the index. */
async function indexed({ search }: Pick<Launched, 'search'>): Promise<string[]> {
  const { lines } = await search.assetLines('c2pa', undefined, 1000);
  const entries = lines.toString().split('\n').filter(Boolean);
  return entries.map((line) => JSON.parse(line).metadata.gateway).sort();
}

const settled = (launched: Pick<Launched, 'search'>, addresses: readonly string[]) =>
  expect
    .poll(() => indexed(launched).catch(String), { timeout: 20_000 })
    .toEqual([...addresses, FOREIGN].sort());

async function addForeign({ search }: Launched): Promise<void> {
  const units = [3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, Buffer.alloc(32, 9)));
  // Newer than all manifests of the tests.
  const iscc_id = native.isccId(0, (Date.now() + 86_400_000) * 1000, 9);
  await search.addAssets('c2pa', [{ iscc_id, units, metadata: { gateway: FOREIGN } }]);
}

// The index has more, as many, and fewer entries than the restored store.
const LOSSES = [
  ['folder', 2, 0],
  ['folder', 1, 1],
  ['folder', 1, 2],
  ['folder', 0, 1],
  ['database', 1, 1],
  ['service', 2, 0],
  ['service', 1, 1],
] as const;

describe('an index in a', () => {
  test.each(LOSSES)(
    '%s is reconciled at the start after %d lost uploads and %d lost deletions',
    { timeout: 60_000 },
    async (place, uploads, deletions) => {
      const launch = await launcher(place);
      const first = await launch();
      const kept = [await upload(first), await upload(first), await upload(first)];
      await addForeign(first);
      await settled(first, kept);
      await stopped(first.store);
      await cp(dataDir(), `${dataDir()}-backup`, { recursive: true });
      const second = await launch();
      const lost: string[] = [];
      for (let at = 0; at < uploads; at += 1) lost.push(await upload(second));
      for (const address of kept.slice(0, deletions)) await remove(second, address);
      await settled(second, [...kept.slice(deletions), ...lost]);
      await stopped(second.store);
      expect(second.store.output()).not.toContain(AHEAD);
      await rm(dataDir(), { recursive: true });
      await cp(`${dataDir()}-backup`, dataDir(), { recursive: true });
      const restored = await launch();
      await settled(restored, kept);
      // It follows from there.
      const next = await upload(restored);
      await settled(restored, [...kept, next]);
      await stopped(restored.store);
      const again = await launch();
      await settled(again, [...kept, next]);
      await stopped(again.store);
      expect(again.store.output()).not.toContain(AHEAD);
    },
  );
});

test('a store that runs while its database loses changes reconciles the index', {
  timeout: 60_000,
}, async () => {
  const url = await postgres.createDatabase();
  const launched = await (await launcher('service', url))();
  const kept = [await upload(launched), await upload(launched)];
  await addForeign(launched);
  await settled(launched, kept);
  const file = await dump(url, path.join(folder, 'store.pgdump'));
  const lost = [await upload(launched), await upload(launched)];
  await remove(launched, kept[0] as string);
  await settled(launched, [...kept.slice(1), ...lost]);
  const standby = await postgres.createDatabase();
  await restore(file, standby);
  await exchange(url, standby);
  await settled(launched, kept);
  await expect.poll(() => launched.store.output()).toContain(AHEAD);
  const next = await upload(launched);
  await settled(launched, [...kept, next]);
});
