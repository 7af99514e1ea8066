/** Receives a request body. Counts and hashes the bytes while they arrive. Design: docs/design/uploads.md. */

import { type FileSum, native, type SumHasher } from '../../../native.js';
import { releaseChunk } from '../../../platform/chunk-memory.js';
import type { BlobDraft } from '../../../storage/blobs/port.js';
import { CodesRefusal } from '../errors.js';
import { HEAD_BYTES } from '../pipeline/addon-calls.js';
import { Blocks, type WholeBody } from './blocks.js';

/** The bytes of a file as they arrive. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** As in a `BodyStream`; other sources only yield their bytes. */
  offer?(take: (bytes: Uint8Array) => boolean): void;
}

/**
 * A completely received body. One of a single block is in memory until it is written to its draft or committed: hashing
 * and storing it then take one call each.
 */
export class ReceivedBody {
  readonly bytes: number;
  /** The first `HEAD_BYTES` of the file. */
  readonly head: Uint8Array;
  readonly #draft: BlobDraft;
  #block: WholeBody | undefined;

  constructor(draft: BlobDraft, head: Uint8Array, bytes: number, block?: WholeBody) {
    [this.#draft, this.head, this.bytes, this.#block] = [draft, head, bytes, block];
  }

  /** The bytes, if neither the draft nor the hasher has them. */
  get unwritten(): Uint8Array | undefined {
    return this.#block?.bytes;
  }

  /** Puts all bytes into the draft, where a worker can read them. */
  async write(): Promise<void> {
    if (this.#block) await this.#draft.write(this.#block.bytes, 0);
    this.release();
  }

  /** Frees the memory of bytes that are not written. */
  release(): void {
    this.#block?.release();
    this.#block = undefined;
  }
}

/**
 * Receives a body, and writes what exceeds one block to a draft and to the hasher, if given, in parallel.
 *
 * Throws {@link CodesRefusal} `UPLOAD_SIZE` as soon as the body exceeds `bytesMax`, or at its end if it is empty.
 * Throws the body's own error if the client disconnects. The caller discards the draft.
 */
export async function receive(
  body: ByteSource,
  draft: BlobDraft,
  bytesMax: number,
  hasher?: SumHasher,
): Promise<ReceivedBody> {
  let head = new Uint8Array(0);
  let hashing = Promise.resolve();
  const blocks = new Blocks(async (block, position) => {
    if (position === 0) head = block.slice(0, HEAD_BYTES);
    if (hasher) hashing = hashing.then(() => hasher.update(block));
    await Promise.all([draft.write(block, position), hashing]);
  });
  body.offer?.((bytes) => blocks.bytes + bytes.byteLength <= bytesMax && blocks.take(bytes));
  try {
    for await (const chunk of body) {
      if (blocks.bytes + chunk.byteLength > bytesMax)
        throw new CodesRefusal('UPLOAD_SIZE', { max: bytesMax });
      await blocks.push(chunk, () => releaseChunk(chunk));
    }
    const whole = blocks.takeWhole();
    if (whole) {
      const { bytes } = whole;
      return new ReceivedBody(draft, bytes.slice(0, HEAD_BYTES), bytes.byteLength, whole);
    }
    await blocks.end();
  } catch (error) {
    await blocks.settle();
    throw error;
  }
  if (blocks.bytes === 0) throw new CodesRefusal('UPLOAD_SIZE', { max: bytesMax });
  return new ReceivedBody(draft, head, blocks.bytes);
}

/** Like {@link receive}, with the codes of the bytes, which are made while they arrive. */
export async function receiveWithSum(
  body: ByteSource,
  draft: BlobDraft,
  bytesMax: number,
): Promise<{ readonly body: ReceivedBody; readonly sum: FileSum }> {
  const hasher = new native.SumHasher();
  const received = await receive(body, draft, bytesMax, hasher);
  return { body: received, sum: await hasher.finish(received.unwritten) };
}
