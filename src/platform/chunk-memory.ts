/**
 * Memory of body chunks, for reuse once their reader has released them. V8 collects garbage once per 64 MB of new chunks,
 * which takes longer than storing that many bytes. A chunk that is never released is collected like any other.
 */

const SIZES = [64 * 1024, 128 * 1024, 256 * 1024, 512 * 1024] as const;
/** Smaller chunks are not worth it. */
const BYTES_MIN = 16 * 1024;
const SPARE_PER_SIZE_MAX = 16;

const spare = new Map<number, ArrayBuffer[]>(SIZES.map((size) => [size, []]));
/** Memory that chunks use. */
const lent = new WeakSet<ArrayBufferLike>();

/** A copy of bytes, in memory that was used before if there is any. */
export function chunkOf(bytes: Uint8Array): Buffer {
  const { byteLength } = bytes;
  const size = byteLength < BYTES_MIN ? undefined : SIZES.find((one) => one >= byteLength);
  if (size === undefined) return Buffer.copyBytesFrom(bytes);
  const target = spare.get(size)?.pop() ?? new ArrayBuffer(size);
  lent.add(target);
  const chunk = Buffer.from(target, 0, byteLength);
  chunk.set(bytes);
  return chunk;
}

/** Takes back the memory of a chunk that nothing reads any more. Other chunks are ignored. */
export function releaseChunk({ buffer }: Uint8Array): void {
  if (!lent.delete(buffer)) return;
  const all = spare.get(buffer.byteLength);
  if (all !== undefined && all.length < SPARE_PER_SIZE_MAX) all.push(buffer as ArrayBuffer);
}
