/**
 * Joins the chunks of a body into blocks, so that disk writes and hash calls are efficient. Limits the number of blocks
 * in flight, which bounds the memory of an upload.
 */

export const BLOCK_BYTES = 512 * 1024;
export const BLOCKS_IN_FLIGHT_MAX = 2;

/** A chunk of at least this size is sent as a block of its own, because copying would cost more than it saves. */
const CHUNK_ALONE_BYTES = BLOCK_BYTES / 2;
const FIRST_BLOCK_BYTES = 32 * 1024;

/** Receives a block and its position in the file. The block's memory may be reused after the promise resolves. */
export type BlockSink = (block: Uint8Array, position: number) => Promise<void>;

export class Blocks {
  readonly #sink: BlockSink;
  readonly #inFlight: Promise<void>[] = [];
  readonly #spare: Uint8Array[] = [];
  #block: Uint8Array = new Uint8Array(0);
  #filled = 0;
  #position = 0;

  constructor(sink: BlockSink) {
    this.#sink = sink;
  }

  /** Bytes received so far. */
  get bytes(): number {
    return this.#position + this.#filled;
  }

  /** Adds a chunk; the caller must not change it any more. Resolves late while the sink is behind (back-pressure). */
  async push(chunk: Uint8Array): Promise<void> {
    if (this.#filled === 0 && chunk.byteLength >= CHUNK_ALONE_BYTES) return this.#send(chunk);
    let rest = chunk;
    while (rest.byteLength > 0) {
      this.#makeRoom(rest.byteLength);
      const part = rest.subarray(0, this.#block.byteLength - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.byteLength;
      rest = rest.subarray(part.byteLength);
      if (this.#filled === BLOCK_BYTES) await this.#sendGathered();
    }
  }

  /** Sends the remaining bytes and waits for all blocks. */
  async end(): Promise<void> {
    if (this.#filled > 0) await this.#sendGathered();
    await Promise.all(this.#inFlight);
  }

  /** Waits until no block is in use, ignoring errors. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }

  /** Grows the block with the received bytes, so that idle connections need no memory. */
  #makeRoom(bytes: number): void {
    if (this.#filled < this.#block.byteLength) return;
    const wanted = Math.max(this.#filled + bytes, this.#filled * 2, FIRST_BLOCK_BYTES);
    const grown =
      this.#position > 0
        ? (this.#spare.pop() ?? new Uint8Array(BLOCK_BYTES))
        : new Uint8Array(Math.min(wanted, BLOCK_BYTES));
    grown.set(this.#block.subarray(0, this.#filled));
    this.#block = grown;
  }

  #sendGathered(): Promise<void> {
    const block = this.#block;
    const filled = block.subarray(0, this.#filled);
    this.#block = new Uint8Array(0);
    this.#filled = 0;
    return this.#send(filled, block.byteLength === BLOCK_BYTES ? block : undefined);
  }

  async #send(block: Uint8Array, reusable?: Uint8Array): Promise<void> {
    if (this.#inFlight.length >= BLOCKS_IN_FLIGHT_MAX) await this.#inFlight.shift();
    const sent = this.#sink(block, this.#position).then(() => {
      if (reusable) this.#spare.push(reusable);
    });
    // The next caller that waits gets the error. Until then it must not count as unhandled.
    sent.catch(() => undefined);
    this.#position += block.byteLength;
    this.#inFlight.push(sent);
  }
}
