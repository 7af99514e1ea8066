/** Uploads in S3, which several processes may use. Imported only if they are configured. */
import type { CodesConfig } from '../../../platform/config/codes.js';
import type { S3Settings } from '../../../platform/config/s3.js';
import type { Logger } from '../../../platform/observe/log.js';
import { BucketBlobs } from '../../../storage/blobs/bucket.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import { S3Bucket } from '../../../storage/s3/bucket.js';
import { BucketCleanup } from './bucket-cleanup.js';
import { BucketRecords } from './bucket-records.js';
import { ClientHasher } from './client-hash.js';
import type { Uploads } from './uploads-port.js';

/** The prefix also has the key of client hashes. */
const ROOT = 'uploads/';

/** @throws {StorageUnavailable} if the bucket can't be used */
export async function openBucket(settings: S3Settings, config: CodesConfig, log: Logger): Promise<Uploads> {
  const bucket = new S3Bucket(settings);
  const problem = await bucket.problem();
  if (problem !== undefined) {
    await bucket.close();
    throw new StorageUnavailable(`${settings.variable}: ${problem}`);
  }
  const { draftsFolder, maxUploadBytes: bytesMax } = config;
  const clients = await ClientHasher.shared(bucket);
  const blobs = await BucketBlobs.open({ bucket, root: ROOT, draftsFolder, bytesMax });
  return {
    folder: draftsFolder,
    blobs,
    records: new BucketRecords(bucket, ROOT),
    clients,
    cleanup: new BucketCleanup(blobs, config.storageExpirySeconds, log),
    problem: () => bucket.problem(),
    close: async () => {
      await blobs.close();
      await bucket.close();
    },
  };
}
