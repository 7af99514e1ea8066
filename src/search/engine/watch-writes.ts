/** Watches the writes of an engine: which indexes could not be written, and whether one is unusable until a restart. */
import { isNativeError, type SearchEngine } from '../../native.js';

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

/** LMDB refuses all work on an index after a write of its meta page failed. */
const PANIC = 'MDB_PANIC';

const REASONS = { INTERNAL: 'the last write failed', STORAGE_FULL: 'the disk is full' } as const;

/**
 * Watches all later calls of `engine`.
 *
 * @param onPanic is called if an index can neither be read nor written until its files are opened again
 * @returns indexes whose last write failed for another reason than its content, with the reason
 */
export function watchWrites(
  engine: SearchEngine,
  onPanic: (error: unknown) => void,
): ReadonlyMap<string, string> {
  const failing = new Map<string, string>();
  const failed = async (index: string, error: unknown) => {
    const code = isNativeError(error) ? error.code : undefined;
    if (code === 'NOT_FOUND') failing.delete(index);
    if (code !== 'INTERNAL' && code !== 'STORAGE_FULL') return;
    failing.set(index, REASONS[code]);
    // Only the next call shows whether the index is still usable.
    await engine.listAssets(index, undefined, 1, true).catch((error: unknown) => {
      if (error instanceof Error && error.message.includes(PANIC)) onPanic(error);
    });
  };
  for (const name of WRITES) {
    const write = engine[name].bind(engine) as (index: string, ...rest: unknown[]) => Promise<unknown>;
    const watched = (index: string, ...rest: unknown[]) => {
      const result = write(index, ...rest);
      result.then(
        () => failing.delete(index),
        (error: unknown) => failed(index, error),
      );
      return result;
    };
    Object.defineProperty(engine, name, { value: watched });
  }
  return failing;
}
