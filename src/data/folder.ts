/** Creates the folders of a service. */
import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its parents, durably. Node's option `recursive` never returns where the system reports an existing parent
 * as missing, as below `/proc`.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
    syncNames(parent);
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(folder)) throw error;
  }
}

/** Waits until the names in a folder are on disk. A folder that this process can't read is left to the system. */
function syncNames(folder: string): void {
  let handle: number;
  try {
    handle = openSync(folder, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
