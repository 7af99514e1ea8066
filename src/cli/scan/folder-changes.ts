/** Notices changes of files below folders. */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { CommandFailed, reason } from '../terminal/failure.js';

/** Programs write files in several steps. */
const QUIET_MS = 500;

/** Watches from its construction on until {@link close}. Iterating yields after changes, once no more come for a moment. */
export class FolderChanges {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #ignored: string;
  #failure: CommandFailed | undefined;
  #changed = false;
  #notify = () => {};

  /**
   * @param ignored a folder whose changes do not count
   * @throws {CommandFailed} if a folder can't be watched
   */
  constructor(folders: readonly string[], ignored: string) {
    this.#ignored = path.resolve(ignored);
    for (const folder of folders) this.#watch(folder);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<void> {
    for (;;) {
      if (!this.#changed)
        await new Promise<void>((resolve) => {
          this.#notify = resolve;
        });
      while (this.#changed) {
        this.#changed = false;
        await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      }
      if (this.#failure !== undefined) throw this.#failure;
      yield;
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #watch(folder: string): void {
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { recursive: true }, (_, name) => {
        if (name === null || !isWithin(path.resolve(folder, name), this.#ignored)) this.#note();
      });
    } catch (error) {
      throw new CommandFailed(`${folder} can't be watched: ${reason(error)}`);
    }
    this.#watchers.set(folder, watcher);
    // For example a subfolder that is gone before it is read. The watcher may be incomplete then.
    watcher.once('error', () => {
      watcher.on('error', () => {}).close();
      this.#renew(folder);
      this.#note();
    });
  }

  #renew(folder: string): void {
    try {
      this.#watch(folder);
    } catch (error) {
      this.#failure = error as CommandFailed;
    }
  }

  #note(): void {
    this.#changed = true;
    this.#notify();
  }
}

/** Whether an absolute path is a folder or below it. */
export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder + path.sep);
}
