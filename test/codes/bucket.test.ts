/** Instances of the codes service that share a bucket, in processes of their own, on a real S3 store. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isccd } from '../support/command.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { bodyOf, noise, postJson, sha256, upload, uploaded } from './support/client.js';
import { temporaryFolder } from './support/folder.js';
import { serveCodes } from './support/process.js';
import { fileBytes } from './support/reference.js';

const TEST_MS_MAX = 300_000;
const WAIT = { timeout: 120_000, interval: 100 };
/** More than a part of an upload in S3. */
const LARGE_BYTES = 20 * 1024 * 1024;
const PICTURE = fileBytes('tiny_32x32_a.png');

let s3: SeaweedServer;
beforeAll(async () => {
  s3 = await startSeaweed();
}, INSTALL_MAX_MS);
afterAll(() => s3?.stop());

type Variables = Readonly<Record<string, string>>;

/** Starts an instance on a bucket, with a data folder of its own. */
async function instance(bucket: string, variables: Variables = {}) {
  const folder = await temporaryFolder();
  const environment = {
    ...s3.variables,
    CODEWEB_MEDIA_PATH: `s3://${bucket}/media`,
    CODEWEB_MAX_WORKERS: '1',
    ISCCD_DATA_DIR: folder,
    ...variables,
  };
  const served = await serveCodes(folder, environment);
  const media = (id: string, init?: RequestInit) => fetch(`${served.url}/api/v1/media/${id}`, init);
  return { ...served, folder, media };
}

async function hashOf(response: Response): Promise<string> {
  return sha256(new Uint8Array(await response.arrayBuffer()));
}

test('an upload through one instance is served, changed and deleted through another', {
  timeout: TEST_MS_MAX,
}, async () => {
  const bucket = await s3.createBucket();
  const [one, two] = await Promise.all([instance(bucket), instance(bucket)]);
  const { media_id: id, content, ...result } = await uploaded(one.url, 'größe "1".png', PICTURE);
  const stored = await fetch(`${two.url}/api/v1/iscc/${id}`);
  expect(await stored.json()).toMatchObject({ iscc: result.iscc });
  const whole = await two.media(id);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-length': String(PICTURE.length),
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringContaining("filename*=UTF-8''gr%C3%B6%C3%9Fe"),
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag: `"${id}"`,
  });
  expect(await hashOf(whole)).toBe(sha256(PICTURE));
  const part = await two.media(id, { headers: { Range: 'bytes=10-19' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${PICTURE.length}`]);
  expect(await hashOf(part)).toBe(sha256(PICTURE.subarray(10, 20)));
  const beyond = await two.media(id, { headers: { Range: `bytes=${PICTURE.length}-` } });
  expect(beyond.status).toBe(416);
  const known = await two.media(id, { headers: { 'If-None-Match': `"${id}"` } });
  expect(known.status).toBe(304);
  const head = await two.media(id, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(PICTURE.length)]);
  // The uploader is the same client for both: they share the key of client hashes.
  const copy = await bodyOf(await postJson(two.url, `/metadata/${id}`, { name: 'A name' }));
  expect(await (await fetch(`${one.url}/api/v1/metadata/${copy.media_id}`)).json()).toMatchObject({
    name: 'A name',
  });
  expect((await two.media(id, { method: 'DELETE' })).status).toBe(204);
  expect((await one.media(id)).status).toBe(404);
  expect((await fetch(`${one.url}/api/v1/iscc/${id}`)).status).toBe(404);
  expect((await one.media(id, { method: 'DELETE' })).status).toBe(404);
  expect((await one.media(copy.media_id)).status).toBe(200);
  const left = await s3.keys(bucket, 'media/uploads/');
  expect(left.every((key) => key.startsWith(`media/uploads/${copy.media_id}/`))).toBe(true);
});

test('an instance that can not reach its bucket exits with the reason', async () => {
  const url = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' };
  await expect(instance('media', url)).rejects.toThrow(
    /codes does not start.*CODEWEB_MEDIA_PATH: S3 at http:\/\/127\.0\.0\.1:9 is unreachable/,
  );
  await expect(instance('missing')).rejects.toThrow(
    /CODEWEB_MEDIA_PATH: the bucket missing at .* does not exist/,
  );
});

test('a backup says that it has no uploads of a bucket', async () => {
  const folder = await temporaryFolder();
  const env = { ...s3.variables, ISCCD_DATA_DIR: folder, CODEWEB_MEDIA_PATH: 's3://media/p' };
  for (const command of [['backup', path.join(folder, 'copy')], ['verify']]) {
    const { code, stderr } = await isccd(command, { cwd: folder, env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('uploads are in the bucket media')]);
  }
});

test('with redirects, a download is a signed address with the same headers', {
  timeout: TEST_MS_MAX,
}, async () => {
  const bucket = await s3.createBucket();
  const { url, media } = await instance(bucket, { CODEWEB_S3_REDIRECT: '1' });
  const { media_id: id } = await uploaded(url, 'a b.bin', noise(1000), { to: 'media' });
  const redirect = await media(id, { redirect: 'manual' });
  expect(redirect.status).toBe(307);
  const address = redirect.headers.get('location') ?? '';
  expect(address.startsWith(`${s3.url}/${bucket}/media/uploads/${id}/file?`)).toBe(true);
  const response = await fetch(address);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="a b.bin"',
    'cache-control': 'private, no-cache',
  });
  expect(await hashOf(response)).toBe(sha256(noise(1000)));
  const part = await fetch(address, { headers: { Range: 'bytes=0-9' } });
  expect([part.status, await hashOf(part)]).toEqual([206, sha256(noise(1000).subarray(0, 10))]);
  expect((await media(id, { method: 'HEAD' })).status).toBe(200);
});

test('a killed process leaves no upload, and what it acknowledged is there', {
  timeout: TEST_MS_MAX,
}, async () => {
  const bucket = await s3.createBucket();
  const [one, two] = await Promise.all([instance(bucket), instance(bucket)]);
  const bytes = noise(LARGE_BYTES);
  const { media_id: id } = await uploaded(one.url, 'a.bin', bytes);
  let isOver = false;
  const untilStopped = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(noise(64 * 1024));
      await new Promise((resolve) => setTimeout(resolve, 1));
      // `fetch` reads on after the connection is lost.
      if (isOver) controller.close();
    },
  });
  const sending = upload(one.url, 'b.bin', untilStopped).catch(() => undefined);
  const parts = async () => (await s3.request('GET', bucket, '?uploads=')).text();
  await expect.poll(parts, WAIT).toContain('<UploadId>');
  await one.kill();
  isOver = true;
  await sending;
  expect(await hashOf(await two.media(id))).toBe(sha256(bytes));
  const left = await s3.keys(bucket, 'media/uploads/');
  expect(left.every((key) => key.startsWith(`media/uploads/${id}/`))).toBe(true);
});

test('while S3 is away uploads get 503 and nothing is half done; afterwards everything is there', {
  timeout: TEST_MS_MAX,
}, async () => {
  const bucket = await s3.createBucket();
  const [one, two] = await Promise.all([instance(bucket), instance(bucket)]);
  const known = new Map<string, string>();
  const add = async (url: string, seed: number) => {
    const bytes = noise(seed % 4 === 0 ? LARGE_BYTES : 50_000, seed);
    const response = await upload(url, `${seed}.bin`, bytes, { to: 'media' });
    if (response.status === 201) known.set((await bodyOf(response)).media_id, sha256(bytes));
    else await response.text();
    return response;
  };
  let isOver = false;
  const statuses = new Set<number>();
  const lane = async (url: string, from: number) => {
    for (let seed = from; !isOver; seed += 2) {
      const response = await add(url, seed);
      statuses.add(response.status);
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('5');
    }
  };
  const lanes = Promise.all([lane(one.url, 1), lane(two.url, 2)]);
  await expect.poll(() => known.size, WAIT).toBeGreaterThan(8);
  await s3.kill();
  await expect.poll(() => statuses.has(503), WAIT).toBe(true);
  const ready = await fetch(`${one.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { reason: /unreachable/ }]);
  const [anyId = ''] = known.keys();
  expect((await one.media(anyId)).status).toBe(503);
  // What needs no storage goes on.
  expect((await fetch(`${one.url}/api/v1/explain/ISCC:EAAWFH3PX3MCYB6N`)).status).toBe(200);
  await s3.start();
  const before = known.size;
  await expect.poll(async () => (await fetch(`${one.url}/readyz`)).status, WAIT).toBe(200);
  await expect.poll(() => known.size, WAIT).toBeGreaterThan(before + 4);
  isOver = true;
  await lanes;
  expect([...statuses].sort()).toEqual([201, 503]);
  for (const [id, hash] of known) {
    const response = await two.media(id);
    expect([id, response.status, await hashOf(response)]).toEqual([id, 200, hash]);
  }
  for (const { folder } of [one, two]) {
    const drafts = path.join(folder, 'codes-drafts');
    for (const name of await readdir(drafts))
      expect(await readdir(path.join(drafts, name, 'drafts'))).toEqual([]);
  }
});

test('a frozen S3 does not block requests that need no storage', { timeout: TEST_MS_MAX }, async () => {
  const { url } = await instance(await s3.createBucket());
  await uploaded(url, 'a.bin', noise(1000), { to: 'media' });
  s3.freeze();
  try {
    const pending = Promise.all(
      Array.from({ length: 8 }, (_, seed) => upload(url, 'b.bin', noise(1000, seed), { to: 'media' })),
    );
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, WAIT).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    s3.thaw();
    const statuses = (await pending).map(({ status }) => status);
    expect(statuses.every((status) => status === 201 || status === 503)).toBe(true);
  } finally {
    s3.thaw();
  }
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, WAIT).toBe(200);
});

test('both instances remove expired uploads, and read none', { timeout: TEST_MS_MAX }, async () => {
  const bucket = await s3.createBucket();
  const variables = { CODEWEB_STORAGE_EXPIRY: '3', CODEWEB_CLEANUP_INTERVAL: '1' };
  const [one, two] = await Promise.all([instance(bucket, variables), instance(bucket, variables)]);
  const ids = await Promise.all(
    Array.from({ length: 24 }, async (_, seed) => {
      const { media_id } = await uploaded((seed % 2 ? one : two).url, 'a.bin', noise(2000, seed), {
        to: 'media',
      });
      return media_id;
    }),
  );
  await expect.poll(() => s3.keys(bucket, 'media/uploads/'), WAIT).toEqual([]);
  for (const id of ids) expect((await one.media(id)).status).toBe(404);
  for (const { output } of [one, two]) expect(output()).not.toContain('clean-up failed');
});
