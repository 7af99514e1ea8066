/**
 * Direct I/O: writes that bypass the page cache (`O_DIRECT`). They need half of the CPU time and of the disk time of
 * buffered writes, and the sync at the end of a large upload has nothing left to write. Linux only; a file system
 * without it, such as tmpfs, gets buffered writes.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { native } from '../../native.js';

/** Multiple of the block size of every disk. Memory, position and length of a direct write are multiples of it. */
const ALIGNMENT = 4096;

/** The size of a huge page if pages have 4 KiB. */
const HUGE_PAGE_BYTES = 2 * 1024 * 1024;

/** Smaller files are written through the page cache. */
const DIRECT_BYTES_MIN = 512 * 1024;

/** Offset of the first aligned byte in memory of {@link alignedMemory}. */
const gaps = new WeakMap<ArrayBufferLike, number>();

/** Memory that direct writes can use. */
export function alignedMemory(bytes: number, alignment = ALIGNMENT): Uint8Array {
  const memory = new Uint8Array(bytes + alignment);
  const gap = native.alignmentGap(memory, alignment);
  gaps.set(memory.buffer, gap);
  return memory.subarray(gap, gap + bytes);
}

/** Blocks of memory for direct writes in one huge page, if the system has one: each is then one piece for the disk. */
export function alignedBlocks(blockBytes: number): Uint8Array[] {
  const page = alignedMemory(HUGE_PAGE_BYTES, HUGE_PAGE_BYTES);
  native.preferHugePages(page);
  const starts = Array.from({ length: HUGE_PAGE_BYTES / blockBytes }, (_, index) => index * blockBytes);
  return starts.map((start) => page.subarray(start, start + blockBytes));
}

function isAligned({ buffer, byteOffset, byteLength }: Uint8Array, position: number): boolean {
  const gap = gaps.get(buffer);
  return (
    gap !== undefined && [byteOffset - gap, byteLength, position].every((part) => part % ALIGNMENT === 0)
  );
}

/** Whether the files of a folder can be written directly. */
export class DirectWrites {
  #isPossible: boolean;

  /** @param isWanted `false` if other programs read the files at once, which is faster from the page cache */
  constructor(isWanted: boolean) {
    this.#isPossible = isWanted && constants.O_DIRECT !== undefined;
  }

  /** A writer of an existing file. Close it. */
  writer(file: string): DirectWriter {
    return new DirectWriter(file, this);
  }

  get isPossible(): boolean {
    return this.#isPossible;
  }

  /** Whether a file of this size is worth direct writes. */
  isWorth(bytes: number): boolean {
    return this.#isPossible && bytes >= DIRECT_BYTES_MIN;
  }

  /** The file system of the folder has no direct writes. */
  refused(): void {
    this.#isPossible = false;
  }
}

export class DirectWriter {
  readonly #file: string;
  readonly #writes: DirectWrites;
  /** Opened for the first aligned block, so that small files need only one handle. */
  #handle: Promise<FileHandle> | undefined;

  constructor(file: string, writes: DirectWrites) {
    this.#file = file;
    this.#writes = writes;
  }

  /** @returns `false` if the block cannot be written directly; a buffered write can then replace it */
  async write(block: Uint8Array, position: number): Promise<boolean> {
    if (!this.#writes.isPossible || !isAligned(block, position)) return false;
    try {
      this.#handle ??= open(this.#file, constants.O_WRONLY | constants.O_DIRECT);
      const handle = await this.#handle;
      const { bytesWritten } = await handle.write(block, 0, block.byteLength, position);
      return bytesWritten === block.byteLength;
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      this.#writes.refused();
      return false;
    }
  }

  async close(): Promise<void> {
    const handle = await this.#handle?.catch(() => undefined);
    await handle?.close();
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EINVAL', 'ENOTSUP'].includes(String(error.code));
}
