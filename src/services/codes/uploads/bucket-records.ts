/**
 * Records and results of uploads in S3, next to their files: `<media_id>/record.json` and `<media_id>/result.json`. The
 * record is written last and removed first, because it makes the file exist.
 */
import { RECORD, RESULT } from '../../../storage/blobs/bucket.js';
import type { S3Bucket } from '../../../storage/s3/bucket.js';
import type { IsccResult } from '../result.js';
import type { MediaId } from './media-id.js';
import type { UploadRecord, UploadRecords } from './records-port.js';

export class BucketRecords implements UploadRecords {
  readonly #bucket: S3Bucket;
  readonly #root: string;
  /** Ids being removed. Processes that remove one at the same time may both succeed. */
  readonly #removing = new Set<MediaId>();

  /** @param root prefix of all keys, with a slash */
  constructor(bucket: S3Bucket, root: string) {
    this.#bucket = bucket;
    this.#root = root;
  }

  find(id: MediaId): Promise<UploadRecord | undefined> {
    return this.#read(id, RECORD);
  }

  findResult(id: MediaId): Promise<IsccResult | undefined> {
    return this.#read(id, RESULT);
  }

  async add(id: MediaId, record: UploadRecord, result?: IsccResult): Promise<void> {
    if (result !== undefined) await this.#bucket.put(this.#key(id, RESULT), JSON.stringify(result));
    // The file was stored under a condition, so no other upload has this id and a repeated write is harmless.
    await this.#bucket.put(this.#key(id, RECORD), JSON.stringify(record));
  }

  async remove(id: MediaId): Promise<boolean> {
    if (this.#removing.has(id)) return false;
    this.#removing.add(id);
    try {
      if ((await this.find(id)) === undefined) return false;
      await this.#bucket.remove(this.#key(id, RECORD));
      await this.#bucket.remove(this.#key(id, RESULT));
      return true;
    } finally {
      this.#removing.delete(id);
    }
  }

  async #read<T>(id: MediaId, name: string): Promise<T | undefined> {
    const text = await this.#bucket.read(this.#key(id, name));
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  #key(id: MediaId, name: string): string {
    return `${this.#root}${id}/${name}`;
  }
}
