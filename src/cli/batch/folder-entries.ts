/** The entries of a folder, also those whose names are not text. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { entryPlace, type Place, systemPath } from './place.js';

export interface FolderEntry extends Place {
  readonly dirent: Dirent<Buffer>;
}

/** All entries, sorted by name. @throws what the system reports */
export async function folderEntries(folder: Place): Promise<FolderEntry[]> {
  const found = await readdir(systemPath(folder), { encoding: 'buffer', withFileTypes: true });
  const entries = found.map((dirent): FolderEntry => ({ ...entryPlace(folder, dirent.name), dirent }));
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}
