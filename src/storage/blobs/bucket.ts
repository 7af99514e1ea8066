/**
 * Blobs in S3: one object `<folder>/file` per folder, which has the blob's name as metadata. A draft is a local file;
 * its parts are sent while it is written. Several processes may use the bucket: a conditional write decides which of
 * them gets a folder.
 */
import { stat } from 'node:fs/promises';
import { StorageUnavailable } from '../data/unavailable.js';
import type { S3Bucket } from '../s3/bucket.js';
import { bucketBlob } from './bucket-blob.js';
import type { FileDraft } from './files.js';
import { LocalDrafts } from './local-drafts.js';
import {
  type BlobDraft,
  BlobFolderTaken,
  type BlobKey,
  type BlobPlaces,
  type Blobs,
  type FolderRange,
  type OnUnremoved,
  type RemoteBlob,
} from './port.js';
import { Contiguous, PartsUpload } from './send-ahead.js';

/** S3 allows 10,000 parts of at least 5 MiB. */
const PARTS_MAX = 10_000;
const PART_BYTES_MIN = 8 * 1024 * 1024;
/** Folders removed at a time. */
const PARALLEL = 16;

const FILE = 'file';
/** Objects that other modules store next to the file. The record makes the folder visible, so it is removed first. */
export const RECORD = 'record.json';
export const RESULT = 'result.json';

export interface BucketBlobsOptions {
  readonly bucket: S3Bucket;
  /** Prefix of all keys, with a slash. */
  readonly root: string;
  /** Folder for the drafts of this and other processes. */
  readonly draftsFolder: string;
  readonly bytesMax: number;
}

export class BucketBlobs implements Blobs {
  readonly #bucket: S3Bucket;
  readonly #root: string;
  readonly #drafts: LocalDrafts;
  readonly #partBytes: number;

  private constructor(options: BucketBlobsOptions, drafts: LocalDrafts) {
    this.#bucket = options.bucket;
    this.#root = options.root;
    this.#drafts = drafts;
    this.#partBytes = Math.max(PART_BYTES_MIN, Math.ceil(options.bytesMax / PARTS_MAX));
  }

  static async open(options: BucketBlobsOptions): Promise<BucketBlobs> {
    return new BucketBlobs(options, await LocalDrafts.open(options.draftsFolder));
  }

  get places(): BlobPlaces {
    return { drafts: this.#drafts.folder };
  }

  async begin(key?: BlobKey): Promise<BlobDraft> {
    const local = await this.#drafts.begin();
    return new BucketDraft(local, key, {
      store: (file, to) => this.#store(file, to),
      ahead: (file, to) => this.#upload(file, to),
      stored: (to, bytes) => this.#remote(to, bytes),
    });
  }

  async find(key: BlobKey): Promise<RemoteBlob | undefined> {
    const head = await this.#bucket.head(this.#keyOf(key.folder));
    return head?.name === key.name ? this.#remote(key, head.bytes) : undefined;
  }

  async remove(folder: string): Promise<void> {
    await this.#bucket.remove(`${this.#root}${folder}/${RECORD}`);
    const rest = [RESULT, FILE].map((name) => this.#bucket.remove(`${this.#root}${folder}/${name}`));
    await Promise.all(rest);
  }

  async removeStrays(
    keep: (folder: string) => boolean,
    before: number,
    { from = '', to, onUnremoved }: FolderRange & { readonly onUnremoved?: OnUnremoved } = {},
  ): Promise<number> {
    let removed = 0;
    let batch: string[] = [];
    const flush = async () => {
      const removing = await Promise.allSettled(batch.map((folder) => this.remove(folder)));
      for (const [at, result] of removing.entries()) {
        if (result.status === 'fulfilled') removed += 1;
        // An unreachable bucket says nothing about the object.
        else if (onUnremoved === undefined || result.reason instanceof StorageUnavailable)
          throw result.reason;
        else onUnremoved(batch[at] ?? '', result.reason);
      }
      batch = [];
    };
    for await (const { folder, changedAt } of this.#folders(from)) {
      if (to !== undefined && folder >= to) break;
      if (changedAt < before && !keep(folder)) batch.push(folder);
      if (batch.length === PARALLEL) await flush();
    }
    await flush();
    return removed;
  }

  /** Also aborts uploads in parts that began before: no upload takes as long as the caller must allow here. */
  async removeDrafts(before: number): Promise<number> {
    let removed = 0;
    for await (const { key, uploadId, startedAt } of this.#bucket.openUploads(this.#root)) {
      if (startedAt >= before) continue;
      await this.#bucket.abort(key, uploadId);
      removed += 1;
    }
    return removed;
  }

  /** The time by which the objects are dated, in ms since the epoch. */
  now(): Promise<number> {
    return this.#bucket.now();
  }

  /** Removes local files of killed processes. */
  removeDead(before: number): Promise<number> {
    return this.#drafts.removeDead(before);
  }

  close(): Promise<void> {
    return this.#drafts.close();
  }

  /** Folders in their order, with the time of their last change. */
  async *#folders(from: string): AsyncGenerator<{ folder: string; changedAt: number }> {
    let current: { folder: string; changedAt: number } | undefined;
    // SeaweedFS skips the keys below a folder that it is asked to start after: start a little earlier.
    for await (const { key, modifiedAt } of this.#bucket.list(this.#root, this.#root + from.slice(0, -1))) {
      const [folder = ''] = key.slice(this.#root.length).split('/');
      if (folder < from) continue;
      if (current?.folder !== folder) {
        if (current !== undefined) yield current;
        current = { folder, changedAt: 0 };
      }
      current.changedAt = Math.max(current.changedAt, modifiedAt);
    }
    if (current !== undefined) yield current;
  }

  #keyOf(folder: string): string {
    return `${this.#root}${folder}/${FILE}`;
  }

  #upload(file: string, { folder, name }: BlobKey): PartsUpload {
    const key = this.#keyOf(folder);
    return new PartsUpload({ bucket: this.#bucket, key, name, partBytes: this.#partBytes }, file);
  }

  /** @returns `false` if the folder exists */
  async #store(file: string, key: BlobKey): Promise<boolean> {
    const { size } = await stat(file);
    if (size <= this.#partBytes) {
      const options = { onlyNew: true, name: key.name };
      return this.#bucket.putFile(this.#keyOf(key.folder), { file, start: 0, end: size }, options);
    }
    const upload = this.#upload(file, key);
    try {
      await upload.flush(size);
      return await upload.complete();
    } finally {
      await upload.abort();
    }
  }

  #remote({ folder }: BlobKey, bytes: number): RemoteBlob {
    return bucketBlob(this.#bucket, this.#keyOf(folder), bytes);
  }
}

interface Sending {
  store(file: string, key: BlobKey): Promise<boolean>;
  ahead(file: string, key: BlobKey): PartsUpload;
  stored(key: BlobKey, bytes: number): RemoteBlob;
}

class BucketDraft implements BlobDraft {
  readonly path: string;
  readonly key: BlobKey | undefined;
  readonly #local: FileDraft;
  readonly #sending: Sending;
  readonly #written = new Contiguous();
  #ahead: PartsUpload | undefined;
  #isCommitted = false;

  constructor(local: FileDraft, key: BlobKey | undefined, sending: Sending) {
    this.path = local.path;
    this.key = key;
    this.#local = local;
    this.#sending = sending;
    this.#ahead = key && sending.ahead(local.path, key);
  }

  async write(block: Uint8Array, position: number): Promise<void> {
    await this.#local.write(block, position);
    this.#written.add(position, block.byteLength);
    this.#ahead?.advance(this.#written.bytes);
  }

  /** Small files are sent by the commit: they need one request. */
  async sync(): Promise<void> {
    if (this.#ahead?.isStarted) await this.#ahead.flush(this.#written.bytes);
  }

  async commit(key: BlobKey, whole?: Uint8Array): Promise<RemoteBlob> {
    if (whole) await this.write(whole, 0);
    const { size } = await stat(this.path);
    if (!(await this.#send(key, size))) throw new BlobFolderTaken(key.folder);
    this.#isCommitted = true;
    await this.#local.discard();
    return this.#sending.stored(key, size);
  }

  async discard(): Promise<void> {
    if (this.#isCommitted) return;
    await this.#ahead?.abort();
    await this.#local.discard();
  }

  async #send(key: BlobKey, bytes: number): Promise<boolean> {
    const ahead = this.#ahead;
    const isSame = key.folder === this.key?.folder && key.name === this.key.name;
    const isSent = ahead?.isStarted === true && isSame && this.#written.bytes === bytes;
    if (isSent) {
      await ahead.flush(bytes);
      if (await ahead.complete()) return true;
    }
    await ahead?.abort();
    this.#ahead = undefined;
    return isSent ? false : this.#sending.store(this.path, key);
  }
}
