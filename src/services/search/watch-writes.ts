/** Watches the writes of an engine: which indexes could not be written, and whether one is unusable until a restart. */
import { type FollowedIndex, isNativeError, type SearchEngine } from '../../native.js';
import { FolderGone } from './engine/folder-guard.js';
import type { Engine } from './engine/port.js';
import type { PostgresEngine } from './postgres/engine.js';

/** Methods that write an index. Their first argument is its name. */
const WRITES = [
  'addAssets',
  'addLines',
  'putPaths',
  'deleteAssets',
  'deleteAsset',
  'renameIndex',
  'deleteIndex',
] as const;
/** Methods that write an index that follows hub logs. */
const FOLLOWER_WRITES = [
  'apply',
  'putHub',
  'putEvidence',
  'reset',
] as const satisfies (keyof FollowedIndex)[];

/** LMDB refuses all work on an index after a write of its meta page failed. */
const PANIC = 'MDB_PANIC';

const REASONS = { INTERNAL: 'the last write failed', STORAGE_FULL: 'the disk is full' } as const;

type Write = (...args: unknown[]) => Promise<unknown>;

/**
 * Watches all later calls of `engine`, and those of each index that it opens to follow hub logs.
 *
 * @param onPanic is called if an index can neither be read nor written until its files are opened again
 * @returns indexes whose last write failed for another reason than its content, with the reason
 */
export function watchWrites(
  engine: Engine & Partial<Pick<SearchEngine, 'followLogs'> & Pick<PostgresEngine, 'shareLogs'>>,
  onPanic: (error: unknown) => void,
): ReadonlyMap<string, string> {
  const failing = new Map<string, string>();
  const failed = async (index: string, error: unknown) => {
    if (error instanceof FolderGone) failing.set(index, 'its files were removed');
    const code = isNativeError(error) ? error.code : undefined;
    if (code === 'NOT_FOUND') failing.delete(index);
    if (code !== 'INTERNAL' && code !== 'STORAGE_FULL') return;
    failing.set(index, REASONS[code]);
    // Only the next call shows whether the index is still usable.
    await engine.listAssets(index, undefined, 1, true).catch((error: unknown) => {
      if (error instanceof Error && error.message.includes(PANIC)) onPanic(error);
    });
  };
  const watch = <T extends object>(target: T, names: readonly (keyof T)[], indexOf: IndexOf) => {
    for (const name of names) {
      const write = (target[name] as Write).bind(target);
      const watched: Write = (...args) => {
        const index = indexOf(args);
        const result = write(...args);
        result.then(
          () => failing.delete(index),
          (error: unknown) => failed(index, error),
        );
        return result;
      };
      Object.defineProperty(target, name, { value: watched });
    }
  };
  watch(engine, WRITES, ([index]) => String(index));
  const share = engine.shareLogs?.bind(engine);
  const watchedShare: typeof share = async (index, realm) => {
    const shared = await (share as NonNullable<typeof share>)(index, realm);
    watch(shared.index, FOLLOWER_WRITES, () => index);
    return shared;
  };
  if (share !== undefined) Object.defineProperty(engine, 'shareLogs', { value: watchedShare });
  if (engine.followLogs === undefined) return failing;
  const follow = engine.followLogs.bind(engine);
  const watchedFollow: typeof follow = async (index, realm) => {
    const followed = await follow(index, realm);
    watch(followed, FOLLOWER_WRITES, () => index);
    return followed;
  };
  Object.defineProperty(engine, 'followLogs', { value: watchedFollow });
  return failing;
}

/** Name of the index that a call writes. */
type IndexOf = (args: readonly unknown[]) => string;
