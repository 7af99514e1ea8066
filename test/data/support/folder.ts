import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A new folder in another one, and removed with it. */
export function temporary(parent: string = tmpdir()): Promise<string> {
  return mkdtemp(path.join(parent, 'isccd-data-'));
}
