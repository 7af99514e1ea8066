/**
 * Notices that the folder of the indexes was removed or replaced while the process has its files open. Writes then still
 * succeed, but into files that no longer have a name, so they must not be acknowledged.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { SearchEngine } from '../../../native.js';
import type { Logger } from '../../../platform/observe/log.js';

/** The folder of the indexes, or the file of one, is missing. */
export class FolderGone extends Error {
  override readonly name = 'FolderGone';

  constructor() {
    super(
      'the data folder of the indexes was removed or replaced while the service runs: nothing can be stored; ' +
        'the operator must restore the folder and restart the service',
    );
  }
}

/** Writes of the engine. The first argument of the first ones is the name or alias of an index, whose file must exist. */
const INDEX_WRITES = ['addAssets', 'addLines', 'putPaths', 'deleteAssets', 'deleteAsset'] as const;
const OTHER_WRITES = ['createIndex', 'renameIndex', 'deleteIndex', 'putAlias', 'deleteAlias'] as const;
const INDEX_FILE = 'data.mdb';

type Write = (...args: unknown[]) => Promise<unknown>;

export class FolderGuard {
  readonly #folder: string;
  readonly #opened: string | undefined;
  /** Writes that may move or remove the folder of an index. Until one has ended, the folder may be at its next name already. */
  readonly #moving = new Set<Promise<unknown>>();
  #isGone = false;

  private constructor(folder: string, opened: string | undefined) {
    this.#folder = folder;
    this.#opened = opened;
  }

  /** @param folder exists */
  static async open(folder: string): Promise<FolderGuard> {
    return new FolderGuard(folder, await identity(folder));
  }

  /** Whether the folder is the one that was opened. */
  async isPresent(): Promise<boolean> {
    const found = await identity(this.#folder);
    return found !== undefined && found === this.#opened;
  }

  /** From now on, writes of the engine reject with {@link FolderGone} unless their files are still there afterwards. */
  watch(engine: SearchEngine, log: Logger | undefined): void {
    const confirm = async (index: string | undefined) => {
      const isGone = !(await this.#has(engine, index));
      // Once, not for every refused request.
      if (isGone && !this.#isGone) log?.error({ folder: this.#folder, index }, new FolderGone().message);
      this.#isGone = isGone;
      if (isGone) throw new FolderGone();
    };
    for (const name of [...INDEX_WRITES, ...OTHER_WRITES]) {
      const write = (engine[name] as Write).bind(engine);
      const isOfIndex = INDEX_WRITES.some((one) => one === name);
      const guarded: Write = async (...args) => {
        const writing = write(...args);
        if (!isOfIndex) this.#track(writing);
        const result = await writing.catch(async (error: unknown) => {
          // The reason why the engine could not write.
          if (!(await this.isPresent())) await confirm(undefined);
          throw error;
        });
        await confirm(isOfIndex ? String(args[0]) : undefined);
        return result;
      };
      Object.defineProperty(engine, name, { value: guarded, configurable: true });
    }
  }

  async #has(engine: SearchEngine, index: string | undefined): Promise<boolean> {
    if (!(await this.isPresent())) return false;
    if (index === undefined) return true;
    if (await this.#hasIndex(engine.aliasTarget(index) ?? index)) return true;
    // Another request may have deleted or renamed it, or switched the alias, or does so at this moment.
    await Promise.allSettled(this.#moving);
    const present = await engine.getIndex(index).catch(() => undefined);
    if (present === undefined) return true;
    const { name } = JSON.parse(present.toString()) as { name: string };
    return this.#hasIndex(name);
  }

  #track(move: Promise<unknown>): void {
    this.#moving.add(move);
    const forget = () => this.#moving.delete(move);
    move.then(forget, forget);
  }

  async #hasIndex(name: string): Promise<boolean> {
    return (await identity(path.join(this.#folder, name, INDEX_FILE))) !== undefined;
  }
}

async function identity(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}
