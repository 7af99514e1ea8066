/** The entries of a folder, also those whose names are not text. */
import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';

export interface FolderEntry {
  /** Bytes outside ASCII as `\xff` if the name is not UTF-8. */
  readonly name: string;
  /** Whether the name is UTF-8. Paths are text, so that no other file can be opened. */
  readonly isNamed: boolean;
  readonly dirent: Dirent<Buffer>;
}

/** All entries, sorted by name. @throws what the system reports */
export async function folderEntries(folder: string): Promise<FolderEntry[]> {
  const found = await readdir(folder, { encoding: 'buffer', withFileTypes: true });
  const entries = found.map((dirent): FolderEntry => {
    const isNamed = isUtf8(dirent.name);
    return { name: isNamed ? dirent.name.toString() : withEscapes(dirent.name), isNamed, dirent };
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function withEscapes(name: Buffer): string {
  return [...name]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`))
    .join('');
}
