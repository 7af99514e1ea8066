/**
 * Joins the chunks of a body into blocks, so that disk writes and hash calls are efficient. All blocks but the last have
 * the same size and memory for direct writes. Limits the number of blocks in flight, which bounds the memory of an
 * upload.
 */
import { alignedBlocks } from '../../../storage/blobs/direct.js';

export const BLOCK_BYTES = 1024 * 1024;
export const BLOCKS_IN_FLIGHT_MAX = 2;

/** Memory of a new upload. It doubles up to a whole block, so that slow uploads need little more than they have sent. */
const FIRST_BYTES = 32 * 1024;
/** A client that fills a block within this time gets the next one whole. */
const FAST_BLOCK_MS = 1000;

/** Larger blocks are whole ones, whose memory allows direct writes. */
const PART_BYTES_MAX = 256 * 1024;

/**
 * Blocks for reuse by all uploads, by size. V8 collects garbage once per 64 MB of new blocks, which takes longer than
 * storing that many bytes.
 */
const spare = new Map<number, Uint8Array[]>();
const SPARE_MAX = 32;

/** A body that fits into one block. */
export interface WholeBody {
  readonly bytes: Uint8Array;
  /** Frees the memory for other uploads. */
  release(): void;
}

/** Receives a block and its position in the file. The block's memory may be reused after the promise resolves. */
export type BlockSink = (block: Uint8Array, position: number) => Promise<void>;

export class Blocks {
  readonly #sink: BlockSink;
  readonly #inFlight: Promise<void>[] = [];
  #block: Uint8Array = new Uint8Array(0);
  #filled = 0;
  #position = 0;
  /** When the block was begun, on the monotonic clock. */
  #begunMs = 0;
  #isFast = false;

  constructor(sink: BlockSink) {
    this.#sink = sink;
  }

  /** Bytes received so far. */
  get bytes(): number {
    return this.#position + this.#filled;
  }

  /**
   * Adds a chunk, which the caller must not change before `release` is called. Resolves late while the sink is behind
   * (back-pressure).
   */
  async push(chunk: Uint8Array, release: () => void = () => undefined): Promise<void> {
    let rest = chunk;
    while (rest.byteLength > 0) {
      if (this.#filled === BLOCK_BYTES) await this.#sendGathered();
      rest = this.#fill(rest);
    }
    release();
  }

  /** Adds bytes if they fit into the current block, and returns whether they do. Not while a chunk is being pushed. */
  take(bytes: Uint8Array): boolean {
    if (this.#filled + bytes.byteLength > BLOCK_BYTES) return false;
    for (let rest = bytes; rest.byteLength > 0; ) rest = this.#fill(rest);
    return true;
  }

  /** The body, if no block was sent and it is not empty. The sink then gets nothing. */
  takeWhole(): WholeBody | undefined {
    return this.#position === 0 && this.#filled > 0 ? this.#takeGathered() : undefined;
  }

  /** Sends the remaining bytes and waits for all blocks. */
  async end(): Promise<void> {
    if (this.#filled > 0) await this.#sendGathered();
    await Promise.all(this.#inFlight);
  }

  /** Gives up the bytes that are not sent. Waits until no block is in use, ignoring errors. */
  async settle(): Promise<void> {
    if (this.#filled > 0) this.#takeGathered().release();
    await Promise.allSettled(this.#inFlight);
  }

  /** Adds bytes to the block until it is full. Returns the rest. */
  #fill(bytes: Uint8Array): Uint8Array {
    this.#makeRoom(bytes.byteLength);
    const part = bytes.subarray(0, this.#block.byteLength - this.#filled);
    this.#block.set(part, this.#filled);
    this.#filled += part.byteLength;
    return bytes.subarray(part.byteLength);
  }

  /** Idle connections need no memory, and slow ones at most twice what they have sent of the block. */
  #makeRoom(bytes: number): void {
    if (this.#filled < this.#block.byteLength) return;
    if (this.#filled === 0) this.#begunMs = performance.now();
    let size = this.#isFast ? BLOCK_BYTES : FIRST_BYTES;
    while (size < this.#filled + bytes && size < BLOCK_BYTES) size *= 2;
    const grown = blockOf(size <= PART_BYTES_MAX ? size : BLOCK_BYTES);
    grown.set(this.#block.subarray(0, this.#filled));
    giveBack(this.#block);
    this.#block = grown;
  }

  #takeGathered(): WholeBody {
    const block = this.#block;
    const bytes = block.subarray(0, this.#filled);
    this.#block = new Uint8Array(0);
    this.#filled = 0;
    return { bytes, release: () => giveBack(block) };
  }

  async #sendGathered(): Promise<void> {
    if (this.#inFlight.length >= BLOCKS_IN_FLIGHT_MAX) await this.#inFlight.shift();
    this.#isFast = performance.now() - this.#begunMs < FAST_BLOCK_MS;
    const { bytes, release } = this.#takeGathered();
    const sent = this.#sink(bytes, this.#position).then(release);
    // The next caller that waits gets the error. Until then it must not count as unhandled.
    sent.catch(() => undefined);
    this.#position += bytes.byteLength;
    this.#inFlight.push(sent);
  }
}

function blockOf(bytes: number): Uint8Array {
  const found = spareOf(bytes);
  if (found.length === 0 && bytes === BLOCK_BYTES) found.push(...alignedBlocks(BLOCK_BYTES));
  return found.pop() ?? new Uint8Array(bytes);
}

function giveBack(block: Uint8Array): void {
  const others = spareOf(block.byteLength);
  if (block.byteLength > 0 && others.length < SPARE_MAX) others.push(block);
}

function spareOf(bytes: number): Uint8Array[] {
  const found = spare.get(bytes) ?? [];
  spare.set(bytes, found);
  return found;
}
