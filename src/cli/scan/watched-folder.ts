/** Watches one folder, or file, with everything below it. */
import { constants, type FSWatcher, watch } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { folderEntries } from '../batch/folder-entries.js';
import { type Place, systemPath } from '../batch/place.js';

/**
 * Where one watcher covers all subfolders and follows them. Elsewhere every folder has its own: that of Node.js for
 * subfolders loses them when their parent is renamed.
 */
const IS_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';
const LIMIT_CODES: readonly unknown[] = ['ENOSPC', 'EMFILE', 'ENFILE'];

export interface WatchedFolderOptions {
  /** Absolute path of a folder whose changes do not count. */
  readonly ignored: string;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

export class WatchedFolder {
  readonly folder: string;
  readonly #options: WatchedFolderOptions;
  #watchers: FSWatcher[] = [];
  /** What the path led to at the last renewal; `undefined` if nothing readable. */
  #identity: string | undefined;
  #isClosed = false;

  constructor(folder: string, options: WatchedFolderOptions) {
    this.folder = folder;
    this.#options = options;
  }

  /**
   * Watches the subfolders that exist now. Changes during the call may be missed, so files are to be read after it.
   *
   * @param isWatching without it, only {@link isReplaced} notices something
   * @throws what the system reports for the folder itself, and if it watches no more folders: see {@link isWatchLimit}
   */
  async renew(isWatching: boolean): Promise<void> {
    this.stop();
    const identity = await identityOf(this.folder).catch((error: unknown) => error as Error);
    this.#identity = identity instanceof Error ? undefined : identity;
    if (identity instanceof Error) throw identity;
    if (isWatching) await this.#watchBelow();
  }

  /** Whether the path leads to another folder than at the last renewal, or to none that is readable. */
  async isReplaced(): Promise<boolean> {
    const known = this.#identity;
    return (await identityOf(this.folder).catch(() => undefined)) !== known;
  }

  close(): void {
    this.#isClosed = true;
    this.stop();
  }

  /** Ends the watching until the next renewal. */
  stop(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  async #watchBelow(): Promise<void> {
    const folders: Place[] = [{ path: this.folder }];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (this.#isClosed) return;
      if (isWithin(path.resolve(folder.path), this.#options.ignored) || !this.#watch(folder)) continue;
      if (IS_RECURSIVE) return;
      // Listed after the folder is watched, so that no new subfolder is missed.
      folders.push(...(await subfolders(folder)));
    }
  }

  /** Whether it succeeded. Subfolders may have been removed, or be unreadable as they are for the scan. */
  #watch(folder: Place): boolean {
    const { ignored, onChange, onError } = this.#options;
    try {
      const watcher = watch(systemPath(folder), { recursive: IS_RECURSIVE }, (_, name) => {
        if (name === null || !isWithin(path.resolve(folder.path, name), ignored)) onChange();
      });
      watcher.on('error', onError);
      this.#watchers.push(watcher);
      return true;
    } catch (error) {
      if (folder.path === this.folder || isWatchLimit(error)) throw error;
      return false;
    }
  }
}

/** Whether an error says that the system watches no more folders for this user or process. */
export function isWatchLimit(error: unknown): boolean {
  return LIMIT_CODES.includes((error as NodeJS.ErrnoException).code);
}

/** Whether an absolute path is a folder or below it. */
export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder + path.sep);
}

/** @throws if it is missing or unreadable */
async function identityOf(folder: string): Promise<string> {
  await access(folder, constants.R_OK);
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** Like the scan, it follows no links. Empty for files and unreadable folders. */
async function subfolders(folder: Place): Promise<Place[]> {
  const entries = await folderEntries(folder).catch(() => []);
  return entries.filter(({ dirent }) => dirent.isDirectory());
}
