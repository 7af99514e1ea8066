/** Reads a stored file once for its Data-Code, Instance-Code and first bytes. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type FileSum, native } from '../../../native.js';
import { HEAD_BYTES } from './addon-calls.js';

export interface HeadAndSum {
  /** The first {@link HEAD_BYTES} of the file. */
  readonly head: Uint8Array;
  readonly sum: FileSum;
}

/** Reads a whole file in pieces of `readBytes`. */
export async function headAndSumOf(path: string, readBytes: number): Promise<HeadAndSum> {
  // A file that fits into one read needs no stream.
  const small = await native.headAndSumOfFile(path, HEAD_BYTES, readBytes);
  if (small !== null) return small;
  const head = new HeadBytes();
  const hasher = new native.SumHasher();
  for await (const chunk of createReadStream(path, { highWaterMark: readBytes })) {
    head.push(chunk as Uint8Array);
    await hasher.update(chunk as Uint8Array);
  }
  return { head: head.bytes, sum: await hasher.finish() };
}

/** Reads the first {@link HEAD_BYTES} of a file. */
export async function readHead(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Collects the first {@link HEAD_BYTES} of a byte sequence. */
class HeadBytes {
  readonly #parts: Uint8Array[] = [];
  #missing = HEAD_BYTES;

  push(chunk: Uint8Array): void {
    if (this.#missing === 0) return;
    // Copied because the caller may reuse the chunk's memory.
    const part = new Uint8Array(chunk.subarray(0, this.#missing));
    this.#missing -= part.byteLength;
    this.#parts.push(part);
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}
