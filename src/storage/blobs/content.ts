/** Blobs named by their SHA-256, as files: `<first two digits>/<SHA-256 in hex><suffix>`. */
import { randomBytes } from 'node:crypto';
import { mkdir, opendir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { absent, isAbsent } from '../data/absent.js';
import { syncPath, testWrite, writeDurably } from '../data/durable.js';
import { folderName, readFolderName } from '../data/folder-name.js';
import { LastWrite } from '../data/last-write.js';
import type { ContentBlob, ContentBlobs } from './content-port.js';
import type { LocalBlob } from './port.js';

const DRAFT_NAME_BYTES = 12;
/** A start removes drafts once; more than one concurrent start is rare. */
const DRAFT_TRIES = 5;
const DIGEST = /^[0-9a-f]{64}$/;

/** Folder of all blobs. */
export const FILES = 'files';
/** One line: the id of the installation. */
export const NAME_FILE = 'INSTALLATION';

/** Path of the blob with a digest, relative to the root. */
export function contentFile(digest: string, suffix: string): string {
  return path.posix.join(FILES, digest.slice(0, 2), digest + suffix);
}

/** Whether a name is that of a blob: its digest; else `undefined`. */
export function digestIn(name: string, suffix: string): string | undefined {
  const digest = name.slice(0, name.length - suffix.length);
  return DIGEST.test(digest) && name.endsWith(suffix) ? digest : undefined;
}

export class FolderContentBlobs implements ContentBlobs {
  readonly place: string;
  readonly #root: string;
  readonly #files: string;
  readonly #drafts: string;
  readonly #suffix: string;
  readonly #last: LastWrite = new LastWrite(() => this.#watched(() => testWrite(this.#drafts)));

  private constructor(root: string, suffix: string) {
    this.place = root;
    this.#root = root;
    this.#files = path.join(root, FILES);
    this.#drafts = path.join(root, 'drafts');
    this.#suffix = suffix;
  }

  static async open(root: string, suffix: string): Promise<FolderContentBlobs> {
    const blobs = new FolderContentBlobs(root, suffix);
    await mkdir(blobs.#drafts, { recursive: true });
    for (let first = 0; first < 256; first += 1) {
      await mkdir(path.join(blobs.#files, first.toString(16).padStart(2, '0')), { recursive: true });
    }
    await syncPath(blobs.#files);
    await syncPath(root);
    return blobs;
  }

  placeOf(digest: string): string {
    return path.join(this.#root, contentFile(digest, this.#suffix));
  }

  async find(digest: string): Promise<LocalBlob | undefined> {
    const file = this.placeOf(digest);
    const found = await stat(file).catch(absent);
    return found && { path: file, bytes: found.size };
  }

  async put(digest: string, bytes: Uint8Array): Promise<void> {
    const target = this.placeOf(digest);
    await this.#watched(async () => {
      for (let tries = 1; !(await this.#write(target, bytes)); tries += 1) {
        if (tries === DRAFT_TRIES) throw new Error(`drafts in ${this.#drafts} vanish`);
      }
      await syncPath(path.dirname(target));
    });
  }

  async #watched(write: () => Promise<void>): Promise<void> {
    try {
      await write();
      this.#last.succeeded();
    } catch (error) {
      this.#last.failed(error, 'the last manifest could not be written');
      throw error;
    }
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

  remove(digest: string): Promise<void> {
    return rm(this.placeOf(digest), { force: true });
  }

  async *list(): AsyncGenerator<ContentBlob> {
    for await (const folder of await opendir(this.#files)) {
      for await (const { name } of await opendir(path.join(this.#files, folder.name))) {
        const digest = digestIn(name, this.#suffix);
        const found = digest && (await stat(this.placeOf(digest)).catch(absent));
        if (digest && found) yield { digest, writtenAt: found.mtimeMs };
      }
    }
  }

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

  name(): Promise<string | undefined> {
    return readFolderName(path.join(this.#root, NAME_FILE));
  }

  named(wanted?: string): Promise<string> {
    return folderName(path.join(this.#root, NAME_FILE), wanted);
  }

  problem(): Promise<string | undefined> {
    return this.#last.problem();
  }

  async close(): Promise<void> {}
}
