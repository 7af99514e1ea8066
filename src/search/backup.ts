/** Copies a folder of indexes while the service runs. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Copier } from '../data/copier.js';
import { FORMAT_FILE } from '../data/format.js';
import type { Copied, OnStep } from '../data/port.js';
import { native } from '../native.js';

/** The copy of each index is consistent: LMDB allows readers in other processes while one process writes. */
export async function backupSearch(folder: string, target: string, onStep: OnStep): Promise<Copied> {
  await mkdir(target, { recursive: true });
  const counts: Record<string, number> = {};
  const files: string[] = [];
  const notes: string[] = [];
  for (const name of await native.searchIndexNames(folder)) {
    // The index was deleted meanwhile, or its creation is incomplete.
    if (!(await native.copySearchIndex(path.join(folder, name), path.join(target, name)))) continue;
    const { assets, problemCount } = await native.checkSearchIndex(path.join(target, name));
    counts[name] = assets;
    if (problemCount > 0)
      notes.push(`index ${name} has ${problemCount} problems; run isccd verify to list them`);
    files.push(path.posix.join(name, 'data.mdb'));
    onStep();
  }
  const copier = new Copier(folder, target);
  for (const name of Object.keys(counts)) await copier.drop(path.join(name, 'lock.mdb'));
  if (await copier.copy(FORMAT_FILE)) files.push(FORMAT_FILE);
  await copier.finish();
  return { counts, files, notes };
}
