/** What faults of a store, or of a proxy before it, mean: absence only if S3 says so. On a real store. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readCodesConfig } from '../../src/platform/config/codes.js';
import { bucketBlob } from '../../src/storage/blobs/bucket-blob.js';
import { blobBytes, copyBlob } from '../../src/storage/blobs/port.js';
import { StorageUnavailable } from '../../src/storage/data/unavailable.js';
import { S3Bucket } from '../../src/storage/s3/bucket.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { type FaultProxy, s3Error, startFaultProxy } from './support/fault-proxy.js';

let server: SeaweedServer;
let proxy: FaultProxy;
let bucket: S3Bucket;
beforeAll(async () => {
  server = await startSeaweed();
  proxy = await startFaultProxy(server.url);
}, INSTALL_MAX_MS);
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});
beforeEach(async () => {
  bucket = opened(await server.createBucket());
  await bucket.put('a', 'text', { name: 'n' });
});
afterEach(() => proxy.set(undefined));

function opened(name: string, url = proxy.url, now?: () => number): S3Bucket {
  const variables = { ...server.variables, AWS_ENDPOINT_URL_S3: url };
  const { mediaS3 } = readCodesConfig({ ...variables, CODEWEB_MEDIA_PATH: `s3://${name}/prefix` });
  if (mediaS3 === undefined) throw new Error(`${name} is not in S3`);
  const opened = new S3Bucket(mediaS3, now);
  onTestFinished(() => opened.close());
  return opened;
}

const operations = (): [string, () => Promise<unknown>][] => [
  ['read', () => bucket.read('a')],
  ['open', () => bucket.open('a')],
  ['head', () => bucket.head('a')],
  ['remove', () => bucket.remove('a')],
  ['abort', () => bucket.abort('a', 'upload')],
  ['complete', () => bucket.complete('a', 'upload', ['"tag"'])],
];

test('a fault is noticed half a second after the last request for the readiness', async () => {
  let now = 5_000;
  const probed = opened(await server.createBucket(), proxy.url, () => now);
  expect(await probed.problem()).toBeUndefined();
  proxy.set({ kind: 'status', status: 503, body: '' });
  now += 500;
  expect(await probed.problem()).toBeUndefined();
  now += 1;
  const problem = await probed.problem();
  expect(problem).toContain('503');
  proxy.set(undefined);
  now += 500;
  expect(await probed.problem()).toBe(problem);
  now += 1;
  expect(await probed.problem()).toBeUndefined();
});

describe('a page of a proxy', () => {
  test('is no empty listing', async () => {
    proxy.set({ kind: 'status', status: 200, body: '<html><h1>Sign in to the network</h1></html>' });
    const listed = async () => {
      const objects = [];
      for await (const object of bucket.list('')) objects.push(object);
      return objects;
    };
    await expect(listed()).rejects.toThrow(StorageUnavailable);
    proxy.set(undefined);
    expect((await listed()).map(({ key }) => key)).toEqual(['a']);
  });
});

describe('a 404', () => {
  test.each([
    ['of a missing bucket', s3Error('NoSuchBucket')],
    ['with an empty code', s3Error('')],
    ['without a body', ''],
    ['of a proxy', '<html><h1>404 Not Found</h1></html>'],
  ])('%s is not a missing object', async (_, body) => {
    proxy.set({ kind: 'status', status: 404, body });
    for (const [name, operation] of operations())
      await expect(operation(), name).rejects.toThrow(StorageUnavailable);
    proxy.set(undefined);
    expect(await bucket.read('a')).toBe('text');
  });

  test('of HEAD alone is not a missing object: a GET decides', async () => {
    proxy.set({ kind: 'status', status: 404, body: '', match: /^HEAD/ });
    expect(await bucket.head('a')).toEqual({ bytes: 4, name: 'n' });
    proxy.set({ kind: 'status', status: 404, body: '', match: /^(HEAD|GET)/ });
    await expect(bucket.head('a')).rejects.toThrow(StorageUnavailable);
  });

  test('with the code of a missing object is one', async () => {
    expect(await bucket.read('b')).toBeUndefined();
    expect(await bucket.open('b')).toBeUndefined();
    expect(await bucket.head('b')).toBeUndefined();
    await bucket.remove('b');
    proxy.set(undefined);
    await bucket.head('a');
    expect(proxy.requests).toHaveLength(1);
  });

  test('of a bucket that the store does not have is not a missing object', async () => {
    bucket = opened('not-there');
    await expect(bucket.head('a')).rejects.toThrow(/the bucket not-there at .* does not exist/);
  });
});

describe('a store that does not respond', () => {
  test('ends a small upload after two attempts, within 30 s', { timeout: 60_000 }, async () => {
    proxy.set({ kind: 'silence', match: /^PUT/ });
    const start = performance.now();
    await expect(bucket.put('b', 'x'.repeat(12_000))).rejects.toThrow(StorageUnavailable);
    expect(performance.now() - start).toBeLessThan(30_000);
    expect(proxy.requests).toHaveLength(2);
  });
});

describe('a connection that ends in the middle of an object', () => {
  const reason = /http:\/\/.*\/prefix\/a did not arrive completely: /;
  beforeEach(async () => {
    proxy.set(undefined);
    await bucket.put('a', 'x'.repeat(100_000));
    proxy.set({ kind: 'cut', match: /^GET/ });
  });

  test('is a failure of the storage, for all who read', async () => {
    const blob = bucketBlob(bucket, 'a', 100_000);
    await expect(bucket.read('a')).rejects.toThrow(StorageUnavailable);
    await expect(blobBytes(blob)).rejects.toThrow(reason);
    await expect(blobBytes(blob)).rejects.toThrow(StorageUnavailable);
    const folder = await temporaryFolder();
    await expect(copyBlob(blob, path.join(folder, 'copy'))).rejects.toThrow(reason);
    await expect(copyBlob(blob, path.join(folder, 'copy'))).rejects.toThrow(StorageUnavailable);
    // A local failure is not one of the storage.
    proxy.set(undefined);
    await expect(copyBlob(blob, path.join(folder, 'no', 'copy'))).rejects.toThrow(/ENOENT/);
    await copyBlob(blob, path.join(folder, 'copy'));
    expect((await readFile(path.join(folder, 'copy'))).length).toBe(100_000);
  });
});

test('a certificate of an unknown authority names the variable that makes it known', async () => {
  const folder = await temporaryFolder();
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = ['req', '-x509', ...key, ...subject, '-out', 'certificate.pem', '-days', '2'];
  await promisify(execFile)(debianProgram(['openssl'], 'openssl'), args, { cwd: folder });
  const read = (name: string) => readFile(path.join(folder, name));
  const secure = createServer({ key: await read('key.pem'), cert: await read('certificate.pem') });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  onTestFinished(() => void secure.close());
  const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  expect(await opened('bucket', url).problem()).toMatch(
    /self-signed certificate; .*NODE_EXTRA_CA_CERTS=FILE/,
  );
});
