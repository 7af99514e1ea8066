/**
 * Notices changes of files below folders. The system reports most of them. A look from time to time finds the others:
 * those of network file systems, and of folders that the system cannot watch.
 */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFailed, reason } from '../terminal/failure.js';
import { isWatchLimit, WatchedFolder } from './watched-folder.js';

/** Why to read the folders again: something has changed, or it is time to look. */
export type Round = 'change' | 'check';

/** Programs write files in several steps. */
const QUIET_MS = 500;
/** The system does not report that a folder was mounted, or that one above it was renamed. */
const FOLDERS_MS = 2000;
const CHECK_MS = 600_000;
/** Between looks at folders that are not watched. */
const UNWATCHED_CHECK_MS = 15_000;

export interface FolderChangesOptions {
  /** A folder whose changes do not count. */
  readonly ignored: string;
  /** Receives a line for the user. */
  readonly say: (text: string) => void;
  /** Time without a change until a `check`. */
  readonly checkMs?: number;
}

/** Watches from {@link open} on until {@link close}. Iterating yields after changes, once no more come for a moment. */
export class FolderChanges {
  readonly #folders: readonly WatchedFolder[];
  readonly #say: (text: string) => void;
  readonly #missing = new Set<WatchedFolder>();
  readonly #closing = new AbortController();
  #checkMs: number;
  #isWatching = true;
  /** When the reader of the rounds began to wait; `undefined` while it works. */
  #idleSince: number | undefined;
  #next: Round | undefined;
  #notify = () => {};

  private constructor(
    folders: readonly string[],
    { ignored, say, checkMs = CHECK_MS }: FolderChangesOptions,
  ) {
    this.#say = say;
    this.#checkMs = checkMs;
    const options = {
      ignored: path.resolve(ignored),
      onChange: () => this.#note('change'),
      onError: (error: unknown) => {
        if (isWatchLimit(error)) this.#stopWatching(error);
        this.#note('change');
      },
    };
    this.#folders = folders.map((folder) => new WatchedFolder(folder, options));
  }

  /** @throws {CommandFailed} if a folder can't be watched */
  static async open(folders: readonly string[], options: FolderChangesOptions): Promise<FolderChanges> {
    const changes = new FolderChanges(folders, options);
    for (const folder of changes.#folders) {
      const problem = await changes.#renew(folder);
      if (problem === undefined) continue;
      changes.close();
      throw new CommandFailed(`${folder.folder} can't be watched: ${problem}`);
    }
    void changes.#look();
    return changes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Round> {
    for (;;) {
      this.#idleSince = performance.now();
      if (this.#next === undefined)
        await new Promise<void>((resolve) => {
          this.#notify = resolve;
        });
      this.#idleSince = undefined;
      let round: Round = 'check';
      while (this.#next !== undefined) {
        if (this.#next === 'change') round = 'change';
        this.#next = undefined;
        await pause(QUIET_MS);
      }
      for (const folder of this.#folders) this.#report(folder, await this.#renew(folder));
      yield round;
    }
  }

  close(): void {
    this.#closing.abort();
    for (const folder of this.#folders) folder.close();
  }

  /** Also keeps the process running, which watchers of removed folders do not. */
  async #look(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await pause(FOLDERS_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // Only a check: some file systems give an unchanged folder another number.
      for (const folder of this.#folders) if (await folder.isReplaced()) this.#note('check');
      const idle = this.#idleSince === undefined ? 0 : performance.now() - this.#idleSince;
      if (idle >= this.#checkMs) this.#note('check');
    }
  }

  /** Returns why the folder can't be watched. */
  async #renew(folder: WatchedFolder): Promise<string | undefined> {
    try {
      await folder.renew(this.#isWatching);
      return undefined;
    } catch (error) {
      if (!this.#isWatching || !isWatchLimit(error)) return reason(error);
      this.#stopWatching(error);
      return this.#renew(folder);
    }
  }

  #report(folder: WatchedFolder, problem: string | undefined): void {
    const isMissing = problem !== undefined;
    if (isMissing === this.#missing.has(folder)) return;
    if (isMissing) this.#missing.add(folder);
    else this.#missing.delete(folder);
    this.#say(
      isMissing
        ? `${folder.folder} is missing or unreadable; the scan goes on when it is back (${problem})`
        : `${folder.folder} is back`,
    );
  }

  #stopWatching(error: unknown): void {
    if (!this.#isWatching) return;
    this.#isWatching = false;
    this.#checkMs = Math.min(this.#checkMs, UNWATCHED_CHECK_MS);
    const seconds = this.#checkMs / 1000;
    const limit = (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'watches' : 'instances';
    this.#say(
      `not all folders can be watched: ${reason(error)}; looking for changes every ${seconds} s instead ` +
        `(raise fs.inotify.max_user_${limit} and start again)`,
    );
    for (const folder of this.#folders) folder.stop();
  }

  #note(round: Round): void {
    if (this.#next !== 'change') this.#next = round;
    this.#notify();
  }
}
