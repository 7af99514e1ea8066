import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A new folder within another, which is removed with that. */
export function temporary(parent: string = tmpdir()): Promise<string> {
  return mkdtemp(path.join(parent, 'isccd-data-'));
}
