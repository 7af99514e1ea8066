/**
 * Local files for drafts of engines on other machines: `drafts-<random>` per process in a folder that several processes
 * may share. A process touches its folder regularly; folders of killed processes are removed.
 */
import { mkdir, mkdtemp, opendir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { FileBlobs, type FileDraft } from './files.js';

const NAME = 'drafts-';
const TOUCH_MS = 60_000;
/** Longer than any pause of a living process, such as that of a machine which is moved. */
const DEAD_MS = 15 * 60_000;

export class LocalDrafts {
  readonly #parent: string;
  readonly #folder: string;
  readonly #blobs: FileBlobs;
  readonly #timer: NodeJS.Timeout;

  private constructor(parent: string, folder: string, blobs: FileBlobs) {
    this.#parent = parent;
    this.#folder = folder;
    this.#blobs = blobs;
    this.#timer = setInterval(() => void this.#touch(), TOUCH_MS).unref();
  }

  static async open(parent: string): Promise<LocalDrafts> {
    await mkdir(parent, { recursive: true });
    const folder = await mkdtemp(path.join(parent, NAME));
    const drafts = new LocalDrafts(parent, folder, await FileBlobs.open(folder));
    await drafts.removeDead(Date.now() - DEAD_MS);
    return drafts;
  }

  get folder(): string {
    return this.#blobs.places.drafts;
  }

  begin(): Promise<FileDraft> {
    return this.#blobs.begin();
  }

  /** Removes the folders of processes that have not touched them since `before`. Returns their number. */
  async removeDead(before: number): Promise<number> {
    let removed = 0;
    for await (const entry of await opendir(this.#parent)) {
      const folder = path.join(this.#parent, entry.name);
      if (!entry.name.startsWith(NAME) || folder === this.#folder) continue;
      const touched = (await stat(folder).catch(() => undefined))?.mtimeMs;
      if (touched === undefined || touched >= before) continue;
      await rm(folder, { recursive: true, force: true });
      removed += 1;
    }
    return removed;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #touch(): Promise<void> {
    const now = new Date();
    // If this fails, drafts fail as well.
    await utimes(this.#folder, now, now).catch(() => undefined);
  }
}

export { DEAD_MS as DRAFTS_DEAD_MS };
