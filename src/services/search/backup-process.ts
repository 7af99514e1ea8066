/**
 * Copies indexes in its own process, because reading badly damaged data can crash the process. Started by `backup.ts` with
 * a {@link CopyJob} as argument; reports on each index by a message, in order.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isNativeError, native } from '../../native.js';
import { failureReason } from '../../platform/failure-reason.js';

export interface CopyJob {
  /** Folder of the indexes. */
  readonly folder: string;
  readonly target: string;
  readonly names: readonly string[];
}

/** `absent`: the index was deleted meanwhile, or its creation is incomplete. */
export type CopyMessage =
  | { readonly type: 'copied'; readonly name: string; readonly assets: number; readonly problems: number }
  | { readonly type: 'absent'; readonly name: string }
  | { readonly type: 'failed'; readonly name: string; readonly reason: string }
  /** The disk of the backup is full. */
  | { readonly type: 'full'; readonly name: string; readonly reason: string };

async function copy(name: string, { folder, target }: CopyJob): Promise<CopyMessage> {
  const copied = path.join(target, name);
  try {
    if (!(await native.copySearchIndex(path.join(folder, name), copied))) return { type: 'absent', name };
    const { assets, problemCount } = await native.checkSearchIndex(copied);
    return { type: 'copied', name, assets, problems: problemCount };
  } catch (error) {
    await rm(copied, { recursive: true, force: true });
    const reason = failureReason(error);
    return { type: isNativeError(error, 'STORAGE_FULL') ? 'full' : 'failed', name, reason };
  }
}

function report(message: CopyMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

const job = JSON.parse(process.argv[2] ?? '') as CopyJob;
for (const name of job.names) await report(await copy(name, job));
process.disconnect?.();
