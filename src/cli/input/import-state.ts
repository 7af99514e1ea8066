/** Where an interrupted `isccd index import` stands. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { placeOf } from '../../storage/database/place.js';
import { CommandFailed, reason } from '../terminal/failure.js';

/** Outcome for one index. */
export interface Transferred {
  readonly index: string;
  created: number;
  updated: number;
  refused: number;
  /** Problems of reading, for example damaged pages. */
  problems: number;
  report?: string;
}

interface Progress {
  /** Where to continue; `undefined` at the end. */
  readonly position?: string | undefined;
  /** Version of the source, if it has one. */
  readonly version?: string | undefined;
  /** Number of assets of the index before the import. */
  readonly before?: number | undefined;
  readonly isDone?: boolean;
  readonly done: Transferred;
}

interface SavedState {
  readonly from: string;
  readonly at: string;
  readonly indexes: Record<string, Progress>;
}

/** Where an import stands, in a file, so that it continues there after an interruption. */
export class ImportState {
  readonly #file: string;
  readonly #saved: SavedState;

  private constructor(file: string, saved: SavedState) {
    this.#file = file;
    this.#saved = saved;
  }

  /** Reads the file if an import between the same places was interrupted. */
  static async open(file: string, source: string, target: string): Promise<ImportState> {
    // The file must not contain passwords.
    const [from, at] = [placeOf(source), placeOf(target)];
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const saved = text === undefined ? undefined : parsed(file, text);
    if (saved !== undefined && (saved.from !== from || saved.at !== at)) {
      throw new CommandFailed(
        `${file} belongs to an interrupted import from ${saved.from} to ${saved.at}; ` +
          'finish it, delete the file, or name another one with --state',
      );
    }
    return new ImportState(file, saved ?? { from, at, indexes: {} });
  }

  /**
   * Forgets an index whose source changed or that has lost assets since, so that it is imported from the beginning.
   * Adding the same assets twice changes nothing.
   *
   * @param version of the source
   * @param assets that the index has
   */
  forgetOutdated(index: string, version: string | undefined, assets = 0): void {
    const saved = this.progress(index);
    if (saved === undefined) return;
    const why = saved.version === version ? lossOf(saved, assets) : 'the source has changed';
    if (why === undefined) return;
    process.stderr.write(`isccd: ${index}: ${why} since the interruption; starting from the beginning\n`);
    delete this.#saved.indexes[index];
  }

  progress(index: string): Progress | undefined {
    return this.#saved.indexes[index];
  }

  async save(index: string, progress: Progress): Promise<void> {
    this.#saved.indexes[index] = progress;
    await this.#write();
  }

  async finish(index: string, progress: Progress): Promise<void> {
    await this.save(index, { ...progress, isDone: true });
  }

  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
  }

  async #write(): Promise<void> {
    const draft = `${this.#file}.tmp`;
    await writeFile(draft, JSON.stringify(this.#saved));
    await rename(draft, this.#file);
  }
}

function lossOf({ done, before = 0 }: Progress, assets: number): string | undefined {
  const expected = before + done.created;
  return assets < expected ? `assets of the index are missing (${assets} of ${expected})` : undefined;
}

function parsed(file: string, text: string): SavedState {
  try {
    return JSON.parse(text) as SavedState;
  } catch (error) {
    throw new CommandFailed(`${file}: ${reason(error)}; delete it to start from the beginning`);
  }
}
