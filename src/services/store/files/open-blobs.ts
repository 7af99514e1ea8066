/** Opens the storage of the manifests' bytes: the data folder, or a bucket. */
import type { S3Settings } from '../../../platform/config/s3.js';
import { FolderContentBlobs } from '../../../storage/blobs/content.js';
import type { ContentBlobs } from '../../../storage/blobs/content-port.js';
import { MANIFEST_SUFFIX } from './folder.js';

export interface BlobPlace {
  readonly dataDir: string;
  /** The bucket; `undefined`: the data folder. */
  readonly blobsS3?: S3Settings | undefined;
}

/** @throws {StorageUnavailable} if the bucket can't be used */
export async function openBlobs({ dataDir, blobsS3 }: BlobPlace): Promise<ContentBlobs> {
  if (blobsS3 === undefined) return FolderContentBlobs.open(dataDir, MANIFEST_SUFFIX);
  const { BucketContentBlobs } = await import('../../../storage/blobs/content-bucket.js');
  return BucketContentBlobs.open(blobsS3, MANIFEST_SUFFIX);
}
