/** Storage of uploads: files, records, the key of client hashes and the clean-up, in a folder or in S3. */
import path from 'node:path';
import { FileBlobs } from '../blobs/files.js';
import type { Blobs } from '../blobs/port.js';
import type { CodesConfig } from '../config/codes.js';
import { makeFolder } from '../data/folder.js';
import { prepareData } from '../data/format.js';
import { exitToRestart } from '../observe/broken.js';
import type { Logger } from '../observe/log.js';
import { Cleanup } from './cleanup.js';
import { ClientHasher } from './client-hash.js';
import { Records } from './records.js';
import type { UploadRecords } from './records-port.js';

export interface Uploads {
  readonly blobs: Blobs;
  readonly records: UploadRecords;
  readonly clients: ClientHasher;
  readonly cleanup: { start(intervalSeconds: number): Promise<void>; stop(): Promise<void> };
  /** Why uploads can't be stored; `undefined` if they can. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** @throws {StorageUnavailable} if the uploads are in S3, and it does not serve this process */
export async function openUploads(config: CodesConfig, log: Logger): Promise<Uploads> {
  const { mediaS3 } = config;
  if (mediaS3 === undefined) return openFolder(config, log);
  return (await import('./bucket-uploads.js')).openBucket(mediaS3, config, log);
}

async function openFolder(config: CodesConfig, log: Logger): Promise<Uploads> {
  const { mediaPath } = config;
  makeFolder(mediaPath);
  await prepareData('codes', mediaPath);
  const blobs = await FileBlobs.open(mediaPath);
  const onBroken = (error: unknown) => exitToRestart(log, error, 'records');
  const records = await Records.open(path.join(mediaPath, 'records'), { onBroken });
  return {
    blobs,
    records,
    clients: await ClientHasher.open(mediaPath),
    cleanup: new Cleanup({ blobs, records, log }, config.storageExpirySeconds),
    problem: () => records.problem(),
    close: () => records.close(),
  };
}
