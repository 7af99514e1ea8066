/** Writes a request body to disk. Counts and hashes the bytes while they arrive. */
import { releaseChunk } from '../../http/request/chunk-memory.js';
import type { SumHasher } from '../../native.js';
import type { BlobDraft } from '../../storage/blobs/port.js';
import { Blocks, type WholeBody } from './blocks.js';
import { CodesRefusal } from './errors.js';
import { HEAD_BYTES } from './pipeline/addon-calls.js';

/** The bytes of a file as they arrive. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** As in a `BodyStream`; other sources only yield their bytes. */
  offer?(take: (bytes: Uint8Array) => boolean): void;
}

export interface Received {
  readonly bytes: number;
  /** The first `HEAD_BYTES` of the file. Valid until `whole` is released. */
  readonly head: Uint8Array;
  /** The body, if it is small and was wanted whole. Neither the draft nor the hasher has its bytes. */
  readonly whole?: WholeBody | undefined;
}

/**
 * Writes a body into a draft and passes the same bytes to the hasher, if given, in parallel. With `keepsWhole`, a body of
 * one block stays in memory: hashing and storing it then take one call each.
 *
 * Throws {@link CodesRefusal} `UPLOAD_SIZE` as soon as the body exceeds `bytesMax`, or at its end if it is empty.
 * Throws the body's own error if the client disconnects. The caller discards the draft.
 */
export async function receive(
  body: ByteSource,
  draft: BlobDraft,
  bytesMax: number,
  { hasher, keepsWhole = false }: { hasher?: SumHasher; keepsWhole?: boolean | undefined } = {},
): Promise<Received> {
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
    const whole = keepsWhole ? blocks.takeWhole() : undefined;
    if (whole) return { bytes: whole.bytes.byteLength, head: whole.bytes.subarray(0, HEAD_BYTES), whole };
    await blocks.end();
  } catch (error) {
    await blocks.settle();
    throw error;
  }
  if (blocks.bytes === 0) throw new CodesRefusal('UPLOAD_SIZE', { max: bytesMax });
  return { bytes: blocks.bytes, head };
}
