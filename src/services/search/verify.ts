/** Checks one index of a data folder or a backup, also while the service runs. */
import path from 'node:path';
import { native } from '../../native.js';
import type { Checked, OnProblem } from '../../storage/data/port.js';
import { folderDigest } from './digest.js';

export async function verifyIndex(
  folder: string,
  name: string,
  hasDigest: boolean,
  onProblem: OnProblem,
): Promise<Checked> {
  const check = await native.checkSearchIndex(path.join(folder, name));
  for (const { key, rule } of check.problems) onProblem(`${name}/${key}`, rule);
  const unlisted = check.problemCount - check.problems.length;
  if (unlisted > 0) onProblem(name, `${unlisted} more problems of this kind`);
  const log = await native.checkLogIndex(path.join(folder, name));
  for (const problem of log?.problems ?? []) onProblem(name, problem);
  const digest = hasDigest ? { digest: await folderDigest(folder, name) } : {};
  return { counts: { [name]: check.assets }, notes: [], ...digest };
}
