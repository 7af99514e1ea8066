/** Judges a log that lies on disk, without network: checkpoint, tree, hash tiles and entries. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type LogBundle, native } from '../native.js';
import { BLOCK, widthOf } from './log-files.js';
import { NETWORK_FACTS, type NetworkName } from './networks.js';
import type { Counts } from './state.js';

export interface LogToCheck {
  /** Folder with `checkpoint` and `tile/…`. */
  readonly folder: string;
  readonly origin: string;
  /** Multibase texts. */
  readonly keys: readonly string[];
  readonly hubId: number;
  readonly network: NetworkName;
  /** Whether to judge the entries. */
  readonly assets: boolean;
}

export interface CheckedLog {
  readonly checkpoint:
    | { readonly verdict: 'ok'; readonly size: number; readonly root: string; readonly keyId: string }
    | { readonly verdict: 'refused'; readonly reason: string };
  /** `null` if the checkpoint is refused. */
  readonly tree: 'ok' | 'missing' | 'mismatch' | null;
  readonly counts?: Counts;
  readonly assets?: readonly unknown[];
}

/** @throws if the checkpoint can't be read */
export async function checkLog(log: LogToCheck): Promise<CheckedLog> {
  const note = await readFile(path.join(log.folder, 'checkpoint'));
  const judged = native.judgeLogCheckpoint(note, log.origin, [...log.keys]);
  const { size, root, keyId } = judged;
  if (size == null || root == null || keyId == null)
    return { checkpoint: { verdict: 'refused', reason: judged.refused ?? 'form' }, tree: null };
  const checkpoint = { verdict: 'ok', size, root: root.toString('base64'), keyId } as const;
  const bundles = await bundlesOf(log.folder, size);
  if (bundles === undefined) return { checkpoint, tree: 'missing' };
  if (!(await matches(log.folder, bundles, size, root))) return { checkpoint, tree: 'mismatch' };
  if (!log.assets) return { checkpoint, tree: 'ok' };
  const entries = await native.judgeLogEntries(bundles, NETWORK_FACTS[log.network].realm, log.hubId);
  if (entries === null) return { checkpoint, tree: 'mismatch' };
  const counts = JSON.parse(entries.counts) as Counts;
  return { checkpoint, tree: 'ok', counts, assets: JSON.parse(entries.assets) as unknown[] };
}

async function bundlesOf(folder: string, size: number): Promise<LogBundle[] | undefined> {
  const bundles: LogBundle[] = [];
  for (let block = 0; block * BLOCK < size; block += 1) {
    const width = widthOf(block, size);
    const bytes = await optional(path.join(folder, native.logEntriesPath(block, width)));
    if (bytes === undefined) return undefined;
    bundles.push({ block, width, bytes });
  }
  return bundles;
}

/** Whether bundles, and the level-1 tiles if there are any, give the root. */
async function matches(folder: string, bundles: LogBundle[], size: number, root: Buffer): Promise<boolean> {
  const roots = await native.logBundleRoots(bundles);
  if (roots === null) return false;
  const blocks = Math.floor(size / BLOCK);
  const full = roots.subarray(0, blocks * 32);
  const tail = bundles.slice(blocks);
  const material = await native.logMaterial(full, tail, 0, size);
  if (material.root?.equals(root) !== true) return false;
  for (let tile = 0; tile * BLOCK < blocks; tile += 1) {
    const width = Math.min(BLOCK, blocks - tile * BLOCK);
    const bytes = await optional(path.join(folder, native.logTilePath(1, tile, width)));
    const own = full.subarray(tile * BLOCK * 32, (tile * BLOCK + width) * 32);
    if (bytes !== undefined && !bytes.equals(own)) return false;
  }
  return true;
}

async function optional(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
