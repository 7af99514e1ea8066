/**
 * One ISCC-SUM of a folder: that of all its files one after the other, in the order and with the exceptions of iscc-sum
 * 0.1.0, so that the codes are equal.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { type FileSum, native } from '../../native.js';
import { type FolderEntry, folderEntries } from './folder-entries.js';
import { type Place, systemPath } from './place.js';

/** Patterns as those of Git. Those of a subfolder are relative to the root, too. */
const IGNORE_FILE = '.isccignore';
const SIDECAR = /\.iscc\.json$/;
const READ_BYTES = 2 * 1024 * 1024;

export interface FolderSum {
  readonly files: number;
  readonly sum: FileSum;
}

/** @throws what the system reports of a file or folder: a code without it would be one of another folder */
export async function folderSum(root: Place): Promise<FolderSum> {
  const hasher = new native.SumHasher();
  let files = 0;
  for await (const file of filesOf(root)) {
    files += 1;
    for await (const chunk of createReadStream(systemPath(file), { highWaterMark: READ_BYTES }))
      await hasher.update(chunk as Uint8Array);
  }
  return { files, sum: await hasher.finish() };
}

/** Folder by folder: ignore files, then the others, then subfolders, each by name. */
async function* filesOf(root: Place): AsyncGenerator<Place> {
  const walk = async function* (folder: Place, above: Ignore): AsyncGenerator<Place> {
    const entries = inOrder(await folderEntries(folder));
    const rules = await withRules(above, entries);
    const isKept = ({ path: file }: Place) => {
      const name = path.relative(root.path, file).replaceAll(path.sep, '/');
      // Patterns of folders match files, too.
      return !rules.ignores(name) && !rules.ignores(`${name}/`);
    };
    const files = entries.filter((entry) => entry.dirent.isFile() && isKept(entry));
    for (const wanted of [true, false])
      yield* files.filter(({ path: file }) => isIgnoreFile(file) === wanted && !SIDECAR.test(file));
    for (const entry of entries) if (entry.dirent.isDirectory() && isKept(entry)) yield* walk(entry, rules);
  };
  yield* walk(root, ignore({ ignorecase: false }));
}

function isIgnoreFile(file: string): boolean {
  return /^\..*ignore$/s.test(path.basename(file));
}

async function withRules(above: Ignore, entries: readonly FolderEntry[]): Promise<Ignore> {
  const own = entries.find(
    ({ path: file, dirent }) => dirent.isFile() && path.basename(file) === IGNORE_FILE,
  );
  if (own === undefined) return above;
  return ignore({ ignorecase: false })
    .add(above)
    .add(await readFile(systemPath(own), 'utf8'));
}

/** By the bytes of the names in normal form C, which file systems may change; then as they are. */
function inOrder(entries: readonly FolderEntry[]): FolderEntry[] {
  const keyed = entries.map((entry) => ({ entry, key: normal(entry.dirent.name) }));
  keyed.sort((a, b) => a.key.compare(b.key) || a.entry.dirent.name.compare(b.entry.dirent.name));
  return keyed.map(({ entry }) => entry);
}

function normal(name: Buffer): Buffer {
  const text = name.toString();
  return Buffer.from(text).equals(name) ? Buffer.from(text.normalize('NFC')) : name;
}
