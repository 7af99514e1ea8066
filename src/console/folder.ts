/** The files of a drop, which may have folders. */
import { t } from './language.js';

const FILES_MAX = 500;

/** @throws if there are too many */
export function filesOf(transfer: DataTransfer): Promise<File[]> {
  // Both lists are empty once the event has ended.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const files = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return Promise.resolve(files);
  return filesIn(entries.filter((entry) => entry !== null));
}

/** In the order of their paths, without hidden ones. */
async function filesIn(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const files: File[] = [];
  for (const entry of [...entries].sort((a, b) => (a.fullPath < b.fullPath ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    if (isFolder(entry)) files.push(...(await filesIn(await entriesOf(entry))));
    else if (isFile(entry))
      files.push(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
    if (files.length > FILES_MAX)
      throw new Error(t('The folder has more than {0} files: use “isccd scan” for it.', FILES_MAX));
  }
  return files;
}

/** Browsers return a folder in parts. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (part.length === 0) return all;
    all.push(...part);
  }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
