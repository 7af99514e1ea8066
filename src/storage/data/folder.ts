/** Creates the folders of a service. */
import { accessSync, closeSync, constants, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
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

/** Why files can't be written in a folder, which need not exist yet; `undefined` if they can. Writes nothing. */
export function folderProblem(folder: string): string | undefined {
  const existing = nearestExisting(folder);
  if (!isFolder(existing)) return `${existing} is not a folder`;
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const reason = code === 'EROFS' ? 'the file system is read-only' : code;
    return existing === folder
      ? `${folder} can't be written (${reason})`
      : `${folder} can't be created in ${existing} (${reason})`;
  }
}

/** The place itself, or the nearest folder above it that exists. */
function nearestExisting(place: string): string {
  const parent = path.dirname(place);
  return parent === place || exists(place) ? place : nearestExisting(parent);
}

function exists(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file, or a folder that this process can't enter, is above it.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'EACCES') return false;
    throw error;
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
