/** Sends a draft to S3 in parts while its bytes still arrive. */
import { Slots } from '../../platform/slots.js';
import type { FilePart, S3Bucket } from '../s3/bucket.js';

/** Parts of one upload that are sent at a time. */
const PARALLEL = 2;

export interface Destination {
  readonly bucket: S3Bucket;
  readonly key: string;
  readonly name: string;
  /** All parts but the last have this size. */
  readonly partBytes: number;
}

/** An upload in parts from a local file. */
export class PartsUpload {
  readonly #to: Destination;
  readonly #file: string;
  readonly #slots = new Slots(PARALLEL);
  readonly #tags: Promise<string>[] = [];
  #uploadId: Promise<string> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isEnded = false;

  constructor(to: Destination, file: string) {
    this.#to = to;
    this.#file = file;
  }

  get isStarted(): boolean {
    return this.#tags.length > 0;
  }

  /** Sends all parts of the first `bytes` bytes that are complete and not on their way. @throws if one has failed */
  advance(bytes: number): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    const { partBytes } = this.#to;
    while ((this.#tags.length + 1) * partBytes <= bytes) {
      const start = this.#tags.length * partBytes;
      this.#send({ file: this.#file, start, end: start + partBytes });
    }
  }

  /** Resolves when all bytes of the file, which has `bytes`, are sent. */
  async flush(bytes: number): Promise<void> {
    this.advance(bytes);
    const start = this.#tags.length * this.#to.partBytes;
    if (start < bytes) this.#send({ file: this.#file, start, end: bytes });
    await Promise.all(this.#tags);
  }

  /** Makes the object. @returns `false` if there is one with its key */
  async complete(): Promise<boolean> {
    const id = await this.#begun();
    const isDone = await this.#to.bucket.complete(this.#to.key, id, await Promise.all(this.#tags));
    if (isDone) this.#isEnded = true;
    return isDone;
  }

  /** Forgets the parts; after `complete` it does nothing. If S3 is unavailable, the clean-up forgets them later. */
  async abort(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure ??= { error: new Error('the upload was aborted') };
    await Promise.allSettled(this.#tags);
    const id = await this.#uploadId?.catch(() => undefined);
    if (id !== undefined) await this.#to.bucket.abort(this.#to.key, id).catch(() => undefined);
  }

  #begun(): Promise<string> {
    this.#uploadId ??= this.#to.bucket.begin(this.#to.key, { name: this.#to.name });
    return this.#uploadId;
  }

  #send(part: FilePart): void {
    const number = this.#tags.length + 1;
    const tag = this.#slots.run(async () => {
      if (this.#failure !== undefined) throw this.#failure.error;
      return this.#to.bucket.sendPart(this.#to.key, await this.#begun(), number, part);
    });
    tag.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#tags.push(tag);
  }
}

/** Length of the beginning of a file that is written completely, when blocks end in any order. */
export class Contiguous {
  #bytes = 0;
  readonly #later = new Map<number, number>();

  get bytes(): number {
    return this.#bytes;
  }

  add(position: number, bytes: number): void {
    this.#later.set(position, bytes);
    for (let next = this.#later.get(this.#bytes); next !== undefined; next = this.#later.get(this.#bytes)) {
      this.#later.delete(this.#bytes);
      this.#bytes += next;
    }
  }
}
