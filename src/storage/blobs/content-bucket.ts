/**
 * Blobs named by their SHA-256, in S3. Several processes may use the bucket. Imported only if a bucket is configured.
 */
import { randomUUID } from 'node:crypto';
import type { S3Settings } from '../../platform/config/s3.js';
import { StorageUnavailable } from '../data/unavailable.js';
import { S3Bucket } from '../s3/bucket.js';
import { bucketBlob } from './bucket-blob.js';
import { contentFile, digestIn, FILES, NAME_FILE } from './content.js';
import type { ContentBlob, ContentBlobs } from './content-port.js';
import type { RemoteBlob } from './port.js';

export class BucketContentBlobs implements ContentBlobs {
  readonly place: string;
  readonly #bucket: S3Bucket;
  readonly #suffix: string;

  private constructor(place: string, bucket: S3Bucket, suffix: string) {
    this.place = place;
    this.#bucket = bucket;
    this.#suffix = suffix;
  }

  /** @throws {StorageUnavailable} if the bucket can't be used */
  static async open(settings: S3Settings, suffix: string): Promise<BucketContentBlobs> {
    const bucket = new S3Bucket(settings);
    const problem = await bucket.problem();
    if (problem !== undefined) {
      await bucket.close();
      throw new StorageUnavailable(`${settings.variable}: ${problem}`);
    }
    return new BucketContentBlobs(`s3://${settings.bucket}/${settings.prefix}`, bucket, suffix);
  }

  placeOf(digest: string): string {
    return this.place + contentFile(digest, this.#suffix);
  }

  async find(digest: string): Promise<RemoteBlob | undefined> {
    const key = contentFile(digest, this.#suffix);
    const head = await this.#bucket.head(key);
    return head && bucketBlob(this.#bucket, key, head.bytes);
  }

  async put(digest: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(contentFile(digest, this.#suffix), bytes);
  }

  remove(digest: string): Promise<void> {
    return this.#bucket.remove(contentFile(digest, this.#suffix));
  }

  async *list(): AsyncGenerator<ContentBlob> {
    for await (const { key, modifiedAt } of this.#bucket.list(`${FILES}/`)) {
      const digest = digestIn(key.slice(key.lastIndexOf('/') + 1), this.#suffix);
      if (digest !== undefined) yield { digest, writtenAt: modifiedAt };
    }
  }

  /** An object appears with its last byte: there are no drafts. */
  async removeDrafts(): Promise<number> {
    return 0;
  }

  async name(): Promise<string | undefined> {
    return (await this.#bucket.read(NAME_FILE))?.trim();
  }

  async named(name: string = randomUUID()): Promise<string> {
    const isFirst = await this.#bucket.put(NAME_FILE, `${name}\n`, { onlyNew: true });
    return isFirst ? name : ((await this.name()) ?? name);
  }

  problem(): Promise<string | undefined> {
    return this.#bucket.problem();
  }

  close(): Promise<void> {
    return this.#bucket.close();
  }
}
