/** Bodies on their way to disk: counted, hashed and written while they arrive. */
import type { BlobDraft } from '../blobs/port.js';
import { Blocks } from './blocks.js';
import { Refused } from './errors.js';
import type { HeadAndSum, SumHasher } from './pipeline/sum.js';

/** So much of a file's beginning tells its media type. */
export const HEAD_BYTES = 4096;

export interface Received {
  readonly bytes: number;
  /** The file's first {@link HEAD_BYTES}. */
  readonly head: Uint8Array;
}

/**
 * Writes a body into a draft and, if there is a hasher, shows it the same bytes in parallel.
 *
 * Throws {@link Refused} with `UPLOAD_SIZE` as soon as the body is too large, and at its end when it
 * was empty; throws what the body throws when the sender goes away. The draft is the caller's to discard.
 */
export async function receive(
  body: AsyncIterable<Uint8Array>,
  draft: BlobDraft,
  bytesMax: number,
  hasher?: SumHasher,
): Promise<Received> {
  const head = new Head();
  let hashing = Promise.resolve();
  const blocks = new Blocks(async (block, position) => {
    if (hasher) hashing = hashing.then(() => hasher.update(block));
    await Promise.all([draft.write(block, position), hashing]);
  });
  try {
    for await (const chunk of body) {
      if (blocks.bytes + chunk.byteLength > bytesMax) throw new Refused('UPLOAD_SIZE', { max: bytesMax });
      head.push(chunk);
      await blocks.push(chunk);
    }
    await blocks.end();
  } catch (error) {
    await blocks.settle();
    throw error;
  }
  if (blocks.bytes === 0) throw new Refused('UPLOAD_SIZE', { max: bytesMax });
  return { bytes: blocks.bytes, head: head.bytes };
}

/** Hashes a file that is on disk already. */
export async function sumOf(chunks: AsyncIterable<Uint8Array>, hasher: SumHasher): Promise<HeadAndSum> {
  const head = new Head();
  for await (const chunk of chunks) {
    head.push(chunk);
    await hasher.update(chunk);
  }
  return { head: head.bytes, sum: await hasher.finish() };
}

class Head {
  readonly #parts: Uint8Array[] = [];
  #missing = HEAD_BYTES;

  push(chunk: Uint8Array): void {
    if (this.#missing === 0) return;
    // A copy: the chunk becomes part of a block that is reused.
    const part = new Uint8Array(chunk.subarray(0, this.#missing));
    this.#missing -= part.byteLength;
    this.#parts.push(part);
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}
