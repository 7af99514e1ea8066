/**
 * Blobs named by what is in them: `<two digits>/<SHA-256 in hex><suffix>`. A file appears whole or not at all, and
 * what `put` has resolved for is on the disk.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, opendir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncPath, writeDurably } from '../data/durable.js';

const DRAFT_NAME_BYTES = 12;
const DIGEST = /^[0-9a-f]{64}$/;

export interface ContentBlob {
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

const FILES = 'files';

/** Where the bytes with a digest are, relative to the root of the blobs. */
export function contentFile(digest: string, suffix: string): string {
  return path.posix.join(FILES, digest.slice(0, 2), digest + suffix);
}

export class ContentBlobs {
  readonly #root: string;
  readonly #files: string;
  readonly #drafts: string;
  readonly #suffix: string;

  private constructor(root: string, suffix: string) {
    this.#root = root;
    this.#files = path.join(root, FILES);
    this.#drafts = path.join(root, 'drafts');
    this.#suffix = suffix;
  }

  static async open(root: string, suffix: string): Promise<ContentBlobs> {
    const blobs = new ContentBlobs(root, suffix);
    await mkdir(blobs.#drafts, { recursive: true });
    for (let first = 0; first < 256; first += 1) {
      await mkdir(path.join(blobs.#files, first.toString(16).padStart(2, '0')), { recursive: true });
    }
    await syncPath(blobs.#files);
    await syncPath(root);
    return blobs;
  }

  pathOf(digest: string): string {
    return path.join(this.#root, contentFile(digest, this.#suffix));
  }

  /** Size in bytes; `undefined` if there is no such file. */
  async size(digest: string): Promise<number | undefined> {
    return (await stat(this.pathOf(digest)).catch(absent))?.size;
  }

  /** Durably stores bytes under their digest. Bytes that are there already are written again: their file is as of now. */
  async put(digest: string, bytes: Uint8Array): Promise<void> {
    const draft = path.join(this.#drafts, randomBytes(DRAFT_NAME_BYTES).toString('hex'));
    const target = this.pathOf(digest);
    try {
      await writeDurably(draft, bytes);
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncPath(path.dirname(target));
  }

  /** A file that is not there is no error. */
  remove(digest: string): Promise<void> {
    return rm(this.pathOf(digest), { force: true });
  }

  /** All that is there, in no order. */
  async *list(): AsyncGenerator<ContentBlob> {
    for await (const folder of await opendir(this.#files)) {
      for await (const { name } of await opendir(path.join(this.#files, folder.name))) {
        const digest = name.slice(0, name.length - this.#suffix.length);
        const found = DIGEST.test(digest) ? await stat(this.pathOf(digest)).catch(absent) : undefined;
        if (found !== undefined) yield { digest, writtenAt: found.mtimeMs };
      }
    }
  }

  /** Removes drafts that a crash has left and nobody has written to since `before`. */
  async removeDrafts(before: number): Promise<number> {
    let removed = 0;
    for await (const { name } of await opendir(this.#drafts)) {
      const draft = path.join(this.#drafts, name);
      const found = await stat(draft).catch(absent);
      if (found === undefined || found.mtimeMs >= before) continue;
      await rm(draft, { force: true });
      removed += 1;
    }
    return removed;
  }
}

function absent(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
