/**
 * Blobs named by their SHA-256: `<first two digits>/<SHA-256 in hex><suffix>`. A file appears complete or not at all,
 * and is durable when `put` resolves.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, opendir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncPath, writeDurably } from '../data/durable.js';

const DRAFT_NAME_BYTES = 12;
/** A start removes drafts once; more than one concurrent start is rare. */
const DRAFT_TRIES = 5;
const DIGEST = /^[0-9a-f]{64}$/;

export interface ContentBlob {
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

const FILES = 'files';

/** Path of the blob with a digest, relative to the root. */
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

  /** Size in bytes; `undefined` if the file does not exist. */
  async size(digest: string): Promise<number | undefined> {
    return (await stat(this.pathOf(digest)).catch(absent))?.size;
  }

  /** Durably stores bytes under their digest. An existing file is written again, which renews its modification time. */
  async put(digest: string, bytes: Uint8Array): Promise<void> {
    const target = this.pathOf(digest);
    for (let tries = 1; !(await this.#write(target, bytes)); tries += 1) {
      if (tries === DRAFT_TRIES) throw new Error(`drafts in ${this.#drafts} vanish`);
    }
    await syncPath(path.dirname(target));
  }

  /** Returns `false` if the clean-up of a process that is starting removed the draft. */
  async #write(target: string, bytes: Uint8Array): Promise<boolean> {
    const draft = path.join(this.#drafts, randomBytes(DRAFT_NAME_BYTES).toString('hex'));
    try {
      await writeDurably(draft, bytes);
      await rename(draft, target);
      return true;
    } catch (error) {
      await rm(draft, { force: true });
      if (!isAbsent(error)) throw error;
      return false;
    }
  }

  /** Removes a file. A missing file is not an error. */
  remove(digest: string): Promise<void> {
    return rm(this.pathOf(digest), { force: true });
  }

  /** All blobs, unordered. */
  async *list(): AsyncGenerator<ContentBlob> {
    for await (const folder of await opendir(this.#files)) {
      for await (const { name } of await opendir(path.join(this.#files, folder.name))) {
        const digest = name.slice(0, name.length - this.#suffix.length);
        const found = DIGEST.test(digest) ? await stat(this.pathOf(digest)).catch(absent) : undefined;
        if (found !== undefined) yield { digest, writtenAt: found.mtimeMs };
      }
    }
  }

  /** Removes drafts without a write since `before`, which a crash left. Returns their number. */
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
  if (!isAbsent(error)) throw error;
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
