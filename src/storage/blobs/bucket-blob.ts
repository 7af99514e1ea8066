/** A blob that is an object of a bucket. */
import type { S3Bucket } from '../s3/bucket.js';
import { BlobVanished, type DownloadHeaders, type RemoteBlob } from './port.js';

/** How long a signed address holds. */
const ADDRESS_SECONDS = 300;

/** The blob that is the object with a key. */
export function bucketBlob(bucket: S3Bucket, key: string, bytes: number): RemoteBlob {
  return {
    bytes,
    place: bucket.placeOf(key),
    read: async (range) => {
      const body = await bucket.open(key, range);
      if (body === undefined) throw new BlobVanished(key);
      return body;
    },
    address: (headers) => bucket.presigned(key, overrides(headers), ADDRESS_SECONDS),
  };
}

function overrides(headers: DownloadHeaders): Record<string, string> {
  return {
    'response-cache-control': headers.cacheControl,
    'response-content-disposition': headers.contentDisposition,
    'response-content-type': headers.contentType,
  };
}
