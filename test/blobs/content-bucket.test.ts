/** Blobs named by their digest in S3, on a real store. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readStoreSettings } from '../../src/platform/config/store-settings.js';
import { BucketContentBlobs } from '../../src/storage/blobs/content-bucket.js';
import { StorageUnavailable } from '../../src/storage/data/unavailable.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { contentBlobsSuite } from './content-suite.js';

let server: SeaweedServer;
beforeAll(async () => {
  server = await startSeaweed();
}, INSTALL_MAX_MS);
afterAll(() => server?.stop());

async function opened(address: string): Promise<BucketContentBlobs> {
  const { blobsS3 } = readStoreSettings({ ...server.variables, MSTORE_BLOBS: address });
  if (blobsS3 === undefined) throw new Error(`${address} is not in S3`);
  const blobs = await BucketContentBlobs.open(blobsS3, '.c2pa');
  onTestFinished(() => blobs.close());
  return blobs;
}

const buckets = new Map<number, Promise<string>>();
contentBlobsSuite('bucket', async (storage) => {
  const bucket = buckets.get(storage) ?? server.createBucket();
  buckets.set(storage, bucket);
  return opened(`s3://${await bucket}/some/prefix`);
});

test('a missing bucket is named with its variable', async () => {
  const opening = opened('s3://no-such-bucket/x');
  await expect(opening).rejects.toThrow(StorageUnavailable);
  await expect(opening).rejects.toThrow(/MSTORE_BLOBS: .*no-such-bucket/);
});
