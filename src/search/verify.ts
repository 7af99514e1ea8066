/** Checks one index of a folder, or of a copy, also while the service works on it. */
import path from 'node:path';
import type { Checked, OnProblem } from '../data/port.js';
import { native } from '../native.js';

export async function verifyIndex(folder: string, name: string, onProblem: OnProblem): Promise<Checked> {
  const check = await native.checkSearchIndex(path.join(folder, name));
  for (const { key, rule } of check.problems) onProblem(`${name}/${key}`, rule);
  const untold = check.problemCount - check.problems.length;
  if (untold > 0) onProblem(name, `there are ${untold} more problems like these`);
  return { counts: { [name]: check.assets }, notes: [] };
}
