/** Addresses of buckets and objects. */
import type { S3Config, S3Style } from '../../platform/config/s3.js';

/**
 * Address of a bucket, with a slash. By default other stores, and names with dots, which no certificate covers, have
 * the bucket in the path.
 */
export function bucketAddress(
  { endpoint, region }: Pick<S3Config, 'endpoint' | 'region'>,
  bucket: string,
  style: S3Style = endpoint !== undefined || bucket.includes('.') ? 'path' : 'virtual',
): string {
  const base = endpoint ?? `https://s3.${region}.amazonaws.com`;
  if (style === 'path') return `${base}/${encodeURIComponent(bucket)}/`;
  return `${base.replace('://', `://${bucket}.`)}/`;
}

/** A key as a path, encoded as signatures expect it: everything but unreserved characters and slashes. */
export function encodedKey(key: string): string {
  return key.split('/').map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
