/** Stores whose manifests are in a bucket, in processes of their own, on a real S3 store. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { isccd } from '../support/command.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { acceptedSidecars, bytesOf, sidecar } from './support/fixtures.js';
import { type StoreProcess, startStoreProcess } from './support/process.js';
import { storeEnvironment } from './support/server.js';

const TEST_MS_MAX = 300_000;
const item = sidecar('ok-ed25519');
const id = item.expect.manifestId ?? '';
const bytes = bytesOf(item);

let s3: SeaweedServer;
beforeAll(async () => {
  s3 = await startSeaweed();
}, INSTALL_MAX_MS);
afterAll(() => s3?.stop());

type Variables = Readonly<Record<string, string>>;

/** An installation: one database, and a bucket. Each instance has a data folder of its own. */
async function installation(variables: Variables = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-store-bucket-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bucket = await s3.createBucket();
  const shared: Variables = {
    ...s3.variables,
    MSTORE_BLOBS: `s3://${bucket}/manifests`,
    ...variables,
  };
  const environmentOf = (name: string): Record<string, string> => ({
    ...storeEnvironment({ dataDir: path.join(folder, name), url: `sqlite://${folder}/store.sqlite` }),
    ...shared,
  });
  const start = async (name: string, more: Variables = {}): Promise<StoreProcess> => {
    const place = { dataDir: path.join(folder, name), url: `sqlite://${folder}/store.sqlite` };
    const store = await startStoreProcess(place, { ...shared, ...more });
    onTestFinished(() => store.kill());
    return store;
  };
  return { folder, bucket, start, environmentOf };
}

const keys = (bucket: string) => s3.keys(bucket, 'manifests/files/');

test('a manifest stored through one instance is served, deleted and restored through another', {
  timeout: TEST_MS_MAX,
}, async () => {
  const { bucket, start, folder } = await installation();
  const one = await start('one');
  const two = await start('two');
  expect((await one.upload(bytes)).status).toBe(200);
  const got = await two.get(id);
  expect([got.status, got.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
  expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
  const tag = got.headers.get('etag') ?? '';
  expect((await two.get(id, { 'If-None-Match': tag })).status).toBe(304);
  const part = await two.get(id, { Range: 'bytes=4-7' });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(4, 8))).toBe(true);
  expect((await two.get(id, { Accept: 'application/json' })).status).toBe(200);
  expect(await keys(bucket)).toHaveLength(1);
  expect(await readdir(path.join(folder, 'one'))).not.toContain('files');

  expect((await two.remove(id)).status).toBe(204);
  expect((await one.get(id)).status).toBe(410);
  expect(await keys(bucket)).toHaveLength(1);
  const environment = (await installationCommand(folder, bucket)) as Record<string, string>;
  expect((await isccd(['store', 'restore', id], { env: environment })).code).toBe(0);
  expect((await one.get(id)).status).toBe(200);
});

/** The environment of a command that runs beside the instances. */
async function installationCommand(folder: string, bucket: string): Promise<Variables> {
  const place = { dataDir: path.join(folder, 'command'), url: `sqlite://${folder}/store.sqlite` };
  return { ...storeEnvironment(place), ...s3.variables, MSTORE_BLOBS: `s3://${bucket}/manifests` };
}

test('without undo a delete removes the object; orphans go at the next start', {
  timeout: TEST_MS_MAX,
}, async () => {
  const { bucket, start } = await installation({ MSTORE_UNDO_DAYS: '0' });
  const store = await start('one');
  await store.upload(bytes);
  expect((await store.remove(id)).status).toBe(204);
  expect(await keys(bucket)).toEqual([]);
  const orphan = `/manifests/files/ab/${'ab'.repeat(32)}.c2pa`;
  expect((await s3.request('PUT', bucket, orphan, { method: 'PUT', body: 'x' })).ok).toBe(true);
  await start('two');
  await expect.poll(() => keys(bucket), { timeout: 30_000 }).toEqual([]);
});

test('while the bucket does not answer, requests and readiness get a 503; then all works again', {
  timeout: TEST_MS_MAX,
}, async () => {
  const { start } = await installation();
  const store = await start('one');
  expect((await store.upload(bytes)).status).toBe(200);
  await s3.kill();
  const failed = await store.get(id);
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await failed.json()).toEqual({ detail: 'The storage of manifests is unavailable' });
  const [other] = acceptedSidecars().filter(({ expect: { manifestId } }) => manifestId !== id);
  expect((await store.upload(bytesOf(other ?? item))).status).toBe(503);
  expect((await fetch(`${store.url}/readyz`)).status).toBe(503);
  await s3.start();
  await expect.poll(async () => (await store.get(id)).status, { timeout: 60_000 }).toBe(200);
  expect((await store.upload(bytesOf(other ?? item))).status).toBe(200);
  expect((await fetch(`${store.url}/readyz`)).status).toBe(200);
});

test('a bucket of another installation is refused', { timeout: TEST_MS_MAX }, async () => {
  const [own, foreign] = [await installation(), await installation()];
  const [one, two] = [await own.start('one'), await foreign.start('one')];
  await Promise.all([one.stop(), two.stop()]);
  const wrong = own.start('two', { MSTORE_BLOBS: `s3://${foreign.bucket}/manifests` });
  await expect(wrong).rejects.toThrow(/belongs to another installation than the database/);
});

test('files move from the folder into a bucket; a backup has them, and is checked', {
  timeout: TEST_MS_MAX,
}, async () => {
  const { folder, bucket, start, environmentOf } = await installation();
  const before = await start('one', { MSTORE_BLOBS: '' });
  const items = acceptedSidecars().slice(0, 3);
  for (const one of items) expect((await before.upload(bytesOf(one))).status).toBe(200);
  await before.stop();
  await expect(start('one')).rejects.toThrow(/isccd store copy-files/);

  const env = { ...environmentOf('one'), ISCCD_DATA_DIR: path.join(folder, 'none') };
  const copied = await isccd(['store', 'copy-files', '--json'], { env });
  expect(JSON.parse(copied.stdout)).toMatchObject({ copied: items.length, skipped: 0 });
  const again = await isccd(['store', 'copy-files', '--json'], { env });
  expect(JSON.parse(again.stdout)).toMatchObject({ copied: 0, skipped: items.length });
  await rm(path.join(folder, 'one', 'files'), { recursive: true });
  const store = await start('one');
  for (const one of items) {
    const response = await store.get(one.expect.manifestId ?? '');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytesOf(one))).toBe(true);
  }

  const verified = await isccd(['verify', '--json'], { env });
  expect([verified.code, JSON.parse(verified.stdout).problems]).toEqual([0, []]);
  const backup = path.join(folder, 'backup');
  expect((await isccd(['backup', backup], { env })).code).toBe(0);
  const checked = await isccd(['verify', backup, '--json'], { env });
  expect([checked.code, JSON.parse(checked.stdout).problems]).toEqual([0, []]);
  const [lost = ''] = await keys(bucket);
  await s3.request('DELETE', bucket, `/${lost}`);
  const missing = await isccd(['verify', '--json'], { env });
  expect([missing.code, JSON.stringify(JSON.parse(missing.stdout).problems)]).toEqual([
    1,
    expect.stringContaining('a manifest must have its file'),
  ]);
});
