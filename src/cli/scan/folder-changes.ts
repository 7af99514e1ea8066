/** Notices changes of files below folders. */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';

/** Programs write files in several steps. */
const QUIET_MS = 500;

/** Watches from its construction on until {@link close}. Iterating yields after changes, once no more come for a moment. */
export class FolderChanges {
  readonly #watchers: readonly FSWatcher[];
  #changed = false;
  #notify = () => {};

  /** @param ignored a folder whose changes do not count */
  constructor(folders: readonly string[], ignored: string) {
    const own = path.resolve(ignored);
    this.#watchers = folders.map((folder) =>
      watch(folder, { recursive: true }, (_, name) => {
        if (name === null || !isWithin(path.resolve(folder, name), own)) this.#note();
      }),
    );
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
      yield;
    }
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
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
