/** Copies files to a backup. The copy is durable after `finish`. */
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncPath } from './durable.js';
import type { OnStep } from './port.js';

/** Errors of `link` on another file system, or on one without hard links. */
const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EINVAL', 'ENOSYS']);

export class Copier {
  readonly #from: string;
  readonly #to: string;
  readonly #folders = new Set<string>();

  constructor(from: string, to: string) {
    this.#from = from;
    this.#to = to;
  }

  /** Hard-links a file that never changes, or copies its bytes. Returns `false` if it does not exist. */
  async share(file: string): Promise<boolean> {
    const [from, to] = await this.#places(file);
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return true;
      if (codeOf(error) === 'ENOENT') return false;
      if (!NO_LINK.has(codeOf(error))) throw error;
    }
    return this.#copyBytes(from, to);
  }

  /** Copies the bytes of a file that may change later. Returns `false` if it does not exist. */
  async copy(file: string): Promise<boolean> {
    return this.#copyBytes(...(await this.#places(file)));
  }

  /** Removes a file or a folder from the copy. */
  async drop(file: string): Promise<void> {
    await rm(path.join(this.#to, file), { recursive: true, force: true });
  }

  async has(file: string): Promise<boolean> {
    return (await this.bytes(file)) !== undefined;
  }

  /** Size of a file of the copy; `undefined` if it does not exist. */
  async bytes(file: string): Promise<number | undefined> {
    return (await stat(path.join(this.#to, file)).catch(() => undefined))?.size;
  }

  /** Shares all files in the subfolders of a folder. Skips files deleted in the meantime. */
  async shareAll(folder: string, onStep: OnStep): Promise<void> {
    for (const inner of await this.names(folder)) {
      for (const name of await this.names(path.join(folder, inner))) {
        await this.share(path.join(folder, inner, name));
        onStep();
      }
    }
  }

  /** Names in a folder of the original; empty if it does not exist. */
  names(folder: string): Promise<string[]> {
    return namesIn(path.join(this.#from, folder));
  }

  /** Names in a folder of the copy. */
  copiedNames(folder: string): Promise<string[]> {
    return namesIn(path.join(this.#to, folder));
  }

  /** Paths of all files in the subfolders of a folder of the copy. */
  async copiedFiles(folder: string): Promise<string[]> {
    const files: string[] = [];
    for (const inner of await this.copiedNames(folder)) {
      const names = await this.copiedNames(path.join(folder, inner));
      files.push(...names.map((name) => path.posix.join(folder, inner, name)));
    }
    return files;
  }

  /** Resolves when the copy would survive a power loss. */
  async finish(): Promise<void> {
    for (const folder of this.#folders) {
      const isThere = (await stat(folder).catch(() => undefined)) !== undefined;
      if (isThere) await syncPath(folder);
    }
  }

  async #places(file: string): Promise<[from: string, to: string]> {
    return [path.join(this.#from, file), await this.targetOf(file)];
  }

  /** Path of a file of the copy. Makes its folder. */
  protected async targetOf(file: string): Promise<string> {
    const to = path.join(this.#to, file);
    const folder = path.dirname(to);
    if (!this.#folders.has(folder)) {
      await mkdir(folder, { recursive: true });
      for (let above = folder; above.startsWith(this.#to); above = path.dirname(above))
        this.#folders.add(above);
    }
    return to;
  }

  async #copyBytes(from: string, to: string): Promise<boolean> {
    try {
      await copyFile(from, to, constants.COPYFILE_FICLONE);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
    await syncPath(to);
    return true;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
