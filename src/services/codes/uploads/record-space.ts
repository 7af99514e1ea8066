/**
 * Space for commits of LMDB, allocated in advance at the end of its file. A commit then doesn't fail because the disk is
 * full: lmdb 3.5.6 formats the message of a failed page write into a buffer that is too short for it, and the process
 * aborts in about one of four cases.
 *
 * File systems that copy on write (btrfs, ZFS) can still run out of space inside a file.
 */
import { open } from 'node:fs/promises';

/** The state of an LMDB file. */
export interface PagesInUse {
  readonly pageSize: number;
  /** Number of the last page in use by the last commit. */
  readonly lastPageNumber: number;
}

/** Pages that a commit copies on its way from the roots of the trees to the leaves, and its list of free pages. */
const COMMIT_BYTES_MAX = 256 * 1024;
/** A value occupies whole pages; a page that it splits is written twice. */
const BYTES_PER_BYTE_MAX = 2;
/** The file grows by this much beyond the need, so that few commits have to wait for it. */
const STEP_BYTES = 2 * 1024 * 1024;

/** What other commits leave to those that only remove, and so free space. */
const SPARED_FOR_REMOVALS = 2 * COMMIT_BYTES_MAX;

export class RecordSpace {
  readonly #file: string;
  readonly #inUse: () => PagesInUse;
  /** Size of the file when it was last measured. It never shrinks. */
  #size = 0;
  /** Bytes that commits can take before the pages in use are counted again. */
  #available = 0;

  constructor(file: string, inUse: () => PagesInUse) {
    this.#file = file;
    this.#inUse = inUse;
  }

  /**
   * Allocates what the next commit may need. No commit may run meanwhile.
   *
   * @param bytes size of what it puts; `undefined` if it only removes
   * @throws an error with the code `ENOSPC` or `EDQUOT` if the disk has no space for it
   */
  async reserve(bytes: number | undefined): Promise<void> {
    const needed = BYTES_PER_BYTE_MAX * (bytes ?? 0) + COMMIT_BYTES_MAX;
    const spared = bytes === undefined ? 0 : SPARED_FOR_REMOVALS;
    if (this.#available < needed + spared) this.#available = this.#unused();
    if (this.#available < needed + spared) await this.#grow(needed + spared);
    this.#available -= needed;
  }

  /** Bytes after the last page in use. */
  #unused(): number {
    const { pageSize, lastPageNumber } = this.#inUse();
    return this.#size - (lastPageNumber + 1) * pageSize;
  }

  async #grow(needed: number): Promise<void> {
    const handle = await open(this.#file, 'a');
    const measure = async () => {
      this.#size = (await handle.stat()).size;
      this.#available = this.#unused();
    };
    try {
      await measure();
      if (this.#available >= needed) return;
      const before = this.#size;
      // Zeros and not a hole: only written blocks are allocated.
      const added = Buffer.alloc(needed - this.#available + STEP_BYTES);
      const error: unknown = await handle.appendFile(added).catch((cause: unknown) => cause);
      await measure();
      if (this.#available >= needed) return;
      await handle.truncate(before);
      await measure();
      throw error;
    } finally {
      await handle.close();
    }
  }
}
