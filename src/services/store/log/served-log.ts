/** Verifies the log of a store from the files that it serves, as anybody can. */
import { native } from '../../../native.js';
import { BLOCK, type LogFiles } from '../../../network/log-files.js';
import { timeOf } from './entries.js';
import type { LogHead } from './store-log.js';

/** Clocks of instances differ, and an upload gets its time before it waits for others. */
const LATE_MS_MAX = 10 * 60 * 1000;

/** The log does not prove what it must; the message says what. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}

export interface SignedHead extends LogHead {
  /** The checkpoint, verbatim. */
  readonly note: string;
}

export class ServedLog {
  readonly #files: LogFiles;
  readonly #origin: string;
  readonly #keys: readonly string[];

  /** @param keys of the store, multibase */
  constructor(files: LogFiles, origin: string, keys: readonly string[]) {
    this.#files = files;
    this.#origin = origin;
    this.#keys = keys;
  }

  /** The present head. @throws {FileUnavailable} @throws {LogRefused} */
  async head(): Promise<SignedHead> {
    return this.headOf((await this.#files.checkpoint()).toString());
  }

  /** The head in a checkpoint. @throws {LogRefused} */
  headOf(note: string): SignedHead {
    const { refused, size, root } = native.judgeLogCheckpoint(Buffer.from(note), this.#origin, [
      ...this.#keys,
    ]);
    if (size != null && root != null) return { note, size, root };
    throw new LogRefused(`its checkpoint is refused: ${refused}`);
  }

  /** @throws {LogRefused} unless the log of `head` begins with that of `earlier` */
  async requireExtension(head: LogHead, earlier: LogHead): Promise<void> {
    if (earlier.size > head.size)
      throw new LogRefused(`it has ${head.size} entries, but had ${earlier.size}: entries were dropped`);
    const { root, oldRoot } = await this.#files.material(earlier.size, head.size);
    if (root?.equals(head.root) !== true)
      throw new LogRefused('its files do not give the root of its checkpoint');
    if (earlier.size === 0 || oldRoot?.equals(earlier.root) === true) return;
    throw new LogRefused(
      `its first ${earlier.size} entries are not those of the earlier checkpoint: entries were dropped or changed`,
    );
  }

  /** @throws {LogRefused} unless the entries of all blocks are those of the head, and none of them is backdated */
  async requireEntries(head: LogHead): Promise<void> {
    const roots = await this.#files.blockRoots(0, head.size);
    let latest = 0;
    for await (const bundle of this.#files.bundles(0, head.size)) {
      const own = roots.subarray(bundle.block * 32, bundle.block * 32 + 32);
      const found = await native.logBundleRoots([bundle]);
      if (found === null || (bundle.width === BLOCK && !found.equals(own)))
        throw new LogRefused(`the entries of its bundle ${bundle.block} are not those of its tree`);
      latest = requireOrder(Buffer.from(bundle.bytes), bundle.block * BLOCK, latest);
    }
    await this.requireExtension(head, head);
  }

  /** @throws {LogRefused} if an entry is older than entries before it, in its block */
  async requireInOrder(head: LogHead, leaf: number): Promise<void> {
    const bundle = await this.#files.bundle(Math.floor(leaf / BLOCK), head.size);
    requireOrder(Buffer.from(bundle.bytes), bundle.block * BLOCK, 0);
  }
}

/** @returns the latest time of an entry @throws {LogRefused} */
function requireOrder(bundle: Buffer, first: number, before: number): number {
  let latest = before;
  for (let at = 0, leaf = first; at < bundle.length; leaf += 1) {
    const end = at + 2 + bundle.readUInt16BE(at);
    const time = timeOf(bundle.subarray(at + 2, end));
    if (time === undefined) throw new LogRefused(`its entry ${leaf} is malformed`);
    if (time < latest - LATE_MS_MAX)
      throw new LogRefused(
        `its entry ${leaf} is of ${new Date(time).toISOString()}, after one of ${new Date(latest).toISOString()}: it is backdated`,
      );
    latest = Math.max(latest, time);
    at = end;
  }
  return latest;
}
