/** A store whose bucket, or a proxy before it, has faults: 503, never data reported as missing or given up. On a real S3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readStoreSettings } from '../../src/platform/config/store-settings.js';
import { backupStore } from '../../src/services/store/backup.js';
import { verifyStore } from '../../src/services/store/verify.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { type FaultProxy, s3Error, startFaultProxy } from '../s3/support/fault-proxy.js';
import { isccd } from '../support/command.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { acceptedSidecars, bytesOf, sidecar } from './support/fixtures.js';
import { type StoreClient, startStore, storeEnvironment } from './support/server.js';

const item = sidecar('ok-ed25519');
const id = item.expect.manifestId ?? '';
const bytes = bytesOf(item);
const UNAVAILABLE = [503, '5', { detail: 'The storage of manifests is unavailable' }];
/** The clean-up and probes use other paths. */
const FILES = /\/files\//;

let s3: SeaweedServer;
let proxy: FaultProxy;
let variables: Record<string, string>;
let place: { dataDir: string; url: string };
let store: StoreClient;
beforeAll(async () => {
  s3 = await startSeaweed();
  proxy = await startFaultProxy(s3.url);
}, INSTALL_MAX_MS);
afterAll(async () => {
  await proxy?.stop();
  await s3?.stop();
});
beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-store-faults-'));
  place = { dataDir: folder, url: `sqlite://${folder}/store.sqlite` };
  const address = `s3://${await s3.createBucket()}/manifests`;
  variables = { ...s3.variables, AWS_ENDPOINT_URL_S3: proxy.url, MSTORE_BLOBS: address };
  store = await startStore(place, variables);
  expect((await store.upload(bytes)).status).toBe(200);
  return async () => {
    proxy.set(undefined);
    await store.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

async function outcome(response: Response): Promise<unknown[]> {
  return [response.status, response.headers.get('retry-after'), await response.json()];
}

function source() {
  const environment = { ...storeEnvironment(place), ...variables };
  return { ...place, blobsS3: readStoreSettings(environment).blobsS3 };
}

async function problems(): Promise<string[]> {
  const found: string[] = [];
  await verifyStore(
    source(),
    (where, rule) => found.push(`${where}: ${rule}`),
    () => {},
  );
  return found;
}

describe.each([
  ['of a missing bucket', s3Error('NoSuchBucket')],
  ['of a proxy', 'Not Found'],
])('a 404 %s', (_, body) => {
  beforeEach(() => proxy.set({ kind: 'status', status: 404, body }));

  it('gives 503 for a stored manifest, and for uploads', async () => {
    expect(await outcome(await store.get(id))).toEqual(UNAVAILABLE);
    expect(await outcome(await store.get(id, { Accept: 'application/json' }))).toEqual(UNAVAILABLE);
    expect(await outcome(await store.upload(bytes))).toEqual(UNAVAILABLE);
    proxy.set(undefined);
    expect((await store.get(id)).status).toBe(200);
  });

  it('leaves the undo to a delete', async () => {
    expect((await store.remove(id)).status).toBe(204);
    const { db, close } = await openDatabase(place.url, place.dataDir);
    onTestFinished(() => close());
    const { kept_until } = await db.selectFrom('manifests').selectAll().executeTakeFirstOrThrow();
    expect(kept_until).toBeGreaterThan(Date.now());
    proxy.set(undefined);
    const env = { ...storeEnvironment(place), ...variables };
    expect(await isccd(['store', 'restore', id], { env })).toMatchObject({ code: 0 });
    expect((await store.get(id)).status).toBe(200);
  });
});

it('a delete ends the undo if S3 says that the file is missing', async () => {
  const bucket = variables.MSTORE_BLOBS?.split('/')[2] ?? '';
  const [key] = await s3.keys(bucket, 'manifests/files/');
  await s3.request('DELETE', bucket, `/${key}`);
  expect((await store.get(id)).status).toBe(404);
  expect((await store.remove(id)).status).toBe(204);
  const { db, close } = await openDatabase(place.url, place.dataDir);
  onTestFinished(() => close());
  const row = await db.selectFrom('manifests').selectAll().executeTakeFirstOrThrow();
  expect(row.kept_until).toBeNull();
});

it('an upload gets its 503 within 30 s if S3 accepts it and does not respond', async () => {
  proxy.set({ kind: 'silence', match: /^PUT/ });
  const [other = item] = acceptedSidecars().filter(({ expect: { manifestId } }) => manifestId !== id);
  const start = performance.now();
  expect(await outcome(await store.upload(bytesOf(other)))).toEqual(UNAVAILABLE);
  expect(performance.now() - start).toBeLessThan(30_000);
});

it('a connection that ends in the middle of an object gives 503', async () => {
  proxy.set({ kind: 'cut', match: /^GET.*\/files\// });
  const address = `${store.url}/v1/manifests/${encodeURIComponent(id)}`;
  for (const request of [
    () => store.get(id, { Accept: 'application/json' }),
    () => fetch(`${address}?detailed=1`, { headers: { Accept: 'application/json' } }),
    () => fetch(`${address}/thumbnail`),
  ]) {
    expect(await outcome(await request())).toEqual(UNAVAILABLE);
  }
  const target = path.join(place.dataDir, 'backup');
  await expect(backupStore({ ...source(), environment: {} }, target, () => {})).rejects.toThrow(
    /http.*\.c2pa did not arrive completely/,
  );
});

describe('isccd verify', () => {
  it('reports busy storage once, and not as damage', async () => {
    proxy.set({ kind: 'status', status: 503, body: s3Error('SlowDown'), match: FILES });
    expect(await problems()).toEqual([
      expect.stringMatching(
        /^s3:\/\/.*: the storage must serve every file, but 1 could not be checked \(.* responds with status 503\)/,
      ),
    ]);
    proxy.set({ kind: 'cut', match: /^GET.*\/files\// });
    expect(await problems()).toEqual([expect.stringContaining('1 could not be checked')]);
    proxy.set(undefined);
    expect(await problems()).toEqual([]);
  });

  it('tries no more files after ten in a row, and counts them', { timeout: 120_000 }, async () => {
    const others = acceptedSidecars().slice(0, 12);
    for (const one of others) expect((await store.upload(bytesOf(one))).status).toBe(200);
    const stored = new Set([id, ...others.map(({ expect: { manifestId } }) => manifestId)]).size;
    proxy.set({ kind: 'status', status: 403, body: s3Error('AccessDenied'), match: FILES });
    expect(await problems()).toEqual([expect.stringContaining(`but ${stored} could not be checked`)]);
    expect(proxy.requests.filter((line) => FILES.test(line))).toHaveLength(10);
  });
});
