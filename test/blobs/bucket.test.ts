/** Blobs in S3, on a real store. */
import { readdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readCodesConfig } from '../../src/platform/config/codes.js';
import { BucketBlobs } from '../../src/storage/blobs/bucket.js';
import { LocalDrafts } from '../../src/storage/blobs/local-drafts.js';
import { StorageUnavailable } from '../../src/storage/data/unavailable.js';
import { S3Bucket } from '../../src/storage/s3/bucket.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { blobsSuite } from './suite.js';

let server: SeaweedServer;
beforeAll(async () => {
  server = await startSeaweed();
}, INSTALL_MAX_MS);
afterAll(() => server?.stop());

function settingsOf(uri: string, variables: Readonly<Record<string, string>> = server.variables) {
  const { mediaS3 } = readCodesConfig({ ...variables, CODEWEB_MEDIA_PATH: uri });
  if (mediaS3 === undefined) throw new Error(`${uri} is not in S3`);
  return mediaS3;
}

async function opened(uri?: string) {
  const name = await server.createBucket();
  const bucket = new S3Bucket(settingsOf(uri ?? `s3://${name}/some/prefix`));
  const draftsFolder = await temporaryFolder();
  const blobs = await BucketBlobs.open({ bucket, root: 'uploads/', draftsFolder, bytesMax: 1024 ** 3 });
  onTestFinished(async () => {
    await blobs.close();
    await bucket.close();
  });
  return { name, bucket, blobs, draftsFolder };
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

blobsSuite('bucket', async () => (await opened()).blobs);

describe('bucket', () => {
  test('keeps the objects of an upload in one folder, and removes them together', async () => {
    const { blobs, bucket, name } = await opened();
    const draft = await blobs.begin();
    await draft.write(Buffer.from('bytes'), 0);
    await draft.commit({ folder: 'a', name: 'x' });
    await bucket.put('uploads/a/result.json', '{}');
    await bucket.put('uploads/a/record.json', '{}');
    const folder = 'some/prefix/uploads/a';
    expect(await server.keys(name)).toEqual([
      `${folder}/file`,
      `${folder}/record.json`,
      `${folder}/result.json`,
    ]);
    await blobs.remove('a');
    expect(await server.keys(name)).toEqual([]);
  });

  test('reads ranges', async () => {
    const { blobs } = await opened();
    const draft = await blobs.begin();
    await draft.write(Buffer.from('0123456789'), 0);
    const stored = await draft.commit({ folder: 'a', name: 'x' });
    if ('path' in stored) throw new Error('the blob is local');
    const pieces = await collected(await stored.read({ start: 3, end: 6 }));
    expect(Buffer.concat(pieces as Buffer[]).toString()).toBe('345');
  });

  test('a discarded draft leaves no part; parts of killed processes are aborted when they are old', async () => {
    const { blobs, bucket } = await opened();
    const open = async () => (await collected(bucket.openUploads(''))).length;
    const begin = async (folder: string) => {
      const draft = await blobs.begin({ folder, name: 'x' });
      await draft.write(Buffer.alloc(9 * 1024 * 1024), 0);
      await draft.sync();
      return draft;
    };
    const draft = await begin('a');
    expect(await open()).toBe(1);
    await draft.discard();
    expect(await open()).toBe(0);
    const killed = await begin('b');
    expect(await blobs.removeDrafts(Date.now() - 60_000)).toBe(0);
    expect(await blobs.removeDrafts(Date.now() + 60_000)).toBe(1);
    expect(await open()).toBe(0);
    await killed.discard();
  });

  test('lists more folders than fit a page', { timeout: 300_000 }, async () => {
    const { blobs, bucket } = await opened();
    const names = Array.from({ length: 1010 }, (_, at) => `f${String(at).padStart(4, '0')}`);
    while (names.length > 0) {
      const some = names.splice(0, 32);
      await Promise.all(some.map((name) => bucket.put(`uploads/${name}/file`, name)));
    }
    const keep = (folder: string) => folder !== 'f0003' && folder !== 'f1009';
    expect(await blobs.removeStrays(keep, Date.now() + 60_000)).toBe(2);
    expect((await collected(bucket.list('uploads/'))).length).toBe(1008);
  });

  test.each([
    ['an unreachable store', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, 'bucket-1', /unreachable/],
    ['a missing bucket', {}, 'not-there', /the bucket not-there at .* does not exist/],
    [
      'a wrong key',
      { AWS_ACCESS_KEY_ID: 'other' },
      'bucket-1',
      /rejects the credentials.*InvalidAccessKeyId/,
    ],
    ['a wrong secret', { AWS_SECRET_ACCESS_KEY: 'x' }, 'bucket-1', /rejects the credentials.*Signature/],
  ])('%s has a reason', async (_, variables, name, reason) => {
    await server.createBucket();
    const bucket = new S3Bucket(settingsOf(`s3://${name}`, { ...server.variables, ...variables }));
    onTestFinished(() => bucket.close());
    expect(await bucket.problem()).toMatch(reason);
    await expect(bucket.read('key')).rejects.toThrow(StorageUnavailable);
  });
});

test('folders of killed processes are removed, those of living ones are kept', async () => {
  const parent = await temporaryFolder();
  const dead = await LocalDrafts.open(parent);
  const draft = await dead.begin();
  const [name = ''] = await readdir(parent);
  const living = await LocalDrafts.open(parent);
  expect((await readdir(parent)).length).toBe(2);
  await utimes(path.join(parent, name), 0, 0);
  expect(await living.removeDead(Date.now() - 60_000)).toBe(1);
  expect((await readdir(parent)).length).toBe(1);
  await living.close();
  expect(await readdir(parent)).toEqual([]);
  // Closes its file, which is gone with the folder.
  await draft.discard();
  await dead.close();
});
