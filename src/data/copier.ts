/** Copies files that never change once they have their name. What was copied is durable after `finish`. */
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncPath } from './durable.js';
import type { OnStep } from './port.js';

/** Why there can be no second name for a file: another file system, or one that has none. */
const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EINVAL', 'ENOSYS']);

export class Copier {
  readonly #from: string;
  readonly #to: string;
  readonly #folders = new Set<string>();

  constructor(from: string, to: string) {
    this.#from = from;
    this.#to = to;
  }

  /** Gives a file a second name in the copy, or copies its bytes; `false` if it is not there. */
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

  /** Copies the bytes of a file that may change later; `false` if it is not there. */
  async copy(file: string): Promise<boolean> {
    return this.#copyBytes(...(await this.#places(file)));
  }

  /** Takes a file or a folder out of the copy again. */
  async drop(file: string): Promise<void> {
    await rm(path.join(this.#to, file), { recursive: true, force: true });
  }

  async has(file: string): Promise<boolean> {
    return (await stat(path.join(this.#to, file)).catch(() => undefined)) !== undefined;
  }

  /** Shares what is in the folders of a folder, as far as it is still there. */
  async shareAll(folder: string, onStep: OnStep): Promise<void> {
    for (const inner of await this.names(folder)) {
      for (const name of await this.names(path.join(folder, inner))) {
        await this.share(path.join(folder, inner, name));
        onStep();
      }
    }
  }

  /** Names in a folder of the original; none if it is not there. */
  names(folder: string): Promise<string[]> {
    return namesIn(path.join(this.#from, folder));
  }

  /** Names in a folder of the copy. */
  copiedNames(folder: string): Promise<string[]> {
    return namesIn(path.join(this.#to, folder));
  }

  /** What the copy has in the folders of a folder. */
  async copiedFiles(folder: string): Promise<string[]> {
    const files: string[] = [];
    for (const inner of await this.copiedNames(folder)) {
      const names = await this.copiedNames(path.join(folder, inner));
      files.push(...names.map((name) => path.posix.join(folder, inner, name)));
    }
    return files;
  }

  /** Resolves when everything that was copied would survive a power loss. */
  async finish(): Promise<void> {
    for (const folder of this.#folders) {
      const isThere = (await stat(folder).catch(() => undefined)) !== undefined;
      if (isThere) await syncPath(folder);
    }
  }

  async #places(file: string): Promise<[from: string, to: string]> {
    const to = path.join(this.#to, file);
    const folder = path.dirname(to);
    if (!this.#folders.has(folder)) {
      await mkdir(folder, { recursive: true });
      for (let above = folder; above.startsWith(this.#to); above = path.dirname(above))
        this.#folders.add(above);
    }
    return [path.join(this.#from, file), to];
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
