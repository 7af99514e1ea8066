/** Collects the bytes of chunks. */

/** Larger chunks are kept as they are. */
const COPIED_BYTES_MAX = 4 * 1024;
const BLOCK_BYTES_MIN = 256;
const BLOCK_BYTES_MAX = 64 * 1024;

/**
 * Chunks of a body, joined at the end. A Buffer takes about 130 bytes in addition to its content, so small chunks are
 * copied into blocks: a client that sends single bytes costs no more memory than others.
 */
export class Gathered {
  #parts: Uint8Array[] = [];
  #block: Buffer | undefined;
  #used = 0;
  #length = 0;

  /** Number of bytes. */
  get length(): number {
    return this.#length;
  }

  /** Small chunks may be reused by the caller afterwards. */
  add(chunk: Uint8Array): void {
    if (chunk.length > COPIED_BYTES_MAX) {
      this.#endBlock();
      this.#parts.push(chunk);
    } else {
      const block = this.#blockFor(chunk.length);
      block.set(chunk, this.#used);
      this.#used += chunk.length;
    }
    this.#length += chunk.length;
  }

  /** All bytes; nothing is left afterwards. */
  take(): Buffer {
    this.#endBlock();
    const [only] = this.#parts;
    const bytes =
      this.#parts.length === 1 && only !== undefined
        ? Buffer.from(only.buffer, only.byteOffset, only.length)
        : Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }

  /** A block with room for so many bytes. Blocks grow with the body, so that a short one costs little. */
  #blockFor(bytes: number): Buffer {
    if (this.#block !== undefined && this.#block.length - this.#used >= bytes) return this.#block;
    this.#endBlock();
    const wanted = Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, 2 * this.#length, bytes));
    this.#block = Buffer.allocUnsafe(wanted);
    return this.#block;
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#parts.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
