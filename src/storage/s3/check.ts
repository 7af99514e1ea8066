/** Checks that a bucket can be used: it is reachable, exists, and takes, keeps, lists and removes objects. */
import { randomBytes } from 'node:crypto';
import type { S3Settings } from '../../platform/config/s3.js';
import { StorageUnavailable } from '../data/unavailable.js';
import { S3Bucket } from './bucket.js';

/** Why the bucket can't be used, for the operator; `undefined` if it can. Leaves no object behind. */
export async function bucketProblem(settings: S3Settings): Promise<string | undefined> {
  const bucket = new S3Bucket(settings);
  const key = `check-${randomBytes(8).toString('hex')}`;
  try {
    const problem = await bucket.problem();
    if (problem !== undefined) return problem;
    await bucket.put(key, 'isccd', { onlyNew: true });
    const isReplaced = await bucket.put(key, 'isccd', { onlyNew: true });
    const text = await bucket.read(key);
    await bucket.remove(key);
    if (isReplaced)
      return `the store of the bucket ${settings.bucket} ignores If-None-Match, which instances need`;
    return text === 'isccd' ? undefined : `the bucket ${settings.bucket} does not return what was stored`;
  } catch (error) {
    if (error instanceof StorageUnavailable) return error.message;
    throw error;
  } finally {
    await bucket.close();
  }
}
