/** Storage of uploads: files, records, the key of client hashes and the clean-up, in a folder or in S3. */
import path from 'node:path';
import type { CodesConfig } from '../../../platform/config/codes.js';
import { exitToRestart } from '../../../platform/observe/broken.js';
import type { Logger } from '../../../platform/observe/log.js';
import { FileBlobs } from '../../../storage/blobs/files.js';
import { makeFolder } from '../../../storage/data/folder.js';
import { lockFolder } from '../../../storage/data/folder-lock.js';
import { prepareData, readFormat } from '../../../storage/data/format.js';
import { Cleanup } from './cleanup.js';
import { ClientHasher } from './client-hash.js';
import { Records } from './records.js';
import type { Uploads } from './uploads-port.js';

const SHARING =
  'its records and its clean-up have one owner. For several instances put uploads in a bucket ' +
  '(CODEWEB_MEDIA_PATH=s3://BUCKET/PREFIX), or give each instance a folder of its own';

/**
 * @throws {FormatRefused} if another process uses the folder
 * @throws {StorageUnavailable} if the uploads are in S3, and it does not serve this process
 */
export async function openUploads(config: CodesConfig, log: Logger): Promise<Uploads> {
  const { mediaS3 } = config;
  if (mediaS3 === undefined) return openFolder(config, log);
  return (await import('./bucket-uploads.js')).openBucket(mediaS3, config, log);
}

async function openFolder(config: CodesConfig, log: Logger): Promise<Uploads> {
  makeFolder(config.mediaPath);
  // A folder that is not ours gets no file.
  await readFormat('codes', config.mediaPath);
  const unlock = await lockFolder(config.mediaPath, SHARING);
  try {
    return await openLocked(config, log, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLocked(config: CodesConfig, log: Logger, unlock: () => void): Promise<Uploads> {
  const { mediaPath } = config;
  await prepareData('codes', mediaPath);
  const blobs = await FileBlobs.open(mediaPath, { isDirect: true });
  const onBroken = (error: unknown) => exitToRestart(log, error, 'records');
  const records = await Records.open(path.join(mediaPath, 'records'), { onBroken });
  return {
    folder: mediaPath,
    blobs,
    records,
    clients: await ClientHasher.open(mediaPath),
    cleanup: new Cleanup({ blobs, records, log }, config.storageExpirySeconds),
    problem: async () => (await records.problem()) ?? blobs.problem(),
    close: async () => {
      await records.close();
      unlock();
    },
  };
}
