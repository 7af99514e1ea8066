/** The files of a scan, each once: a file must not be a duplicate of itself, found by several names or folders. */
import path from 'node:path';
import { LOCK_FILE } from '../../storage/data/folder-lock.js';
import type { Source, Unreadable } from '../batch/source.js';
import { type SourceOptions, sourcesOf } from '../batch/sources.js';
import { RECORDS_FILE } from './records.js';
import { isWithin } from './watched-folder.js';

export interface FoundFile {
  readonly source: Source | Unreadable;
  /** Further names: hard links, and links to the file or to a folder of it. */
  readonly names: readonly string[];
}

/**
 * All files of the folders but those in folders of earlier scans.
 *
 * @param ignored absolute path of a folder that is left out
 */
export async function foundFiles(
  folders: readonly string[],
  options: SourceOptions,
  ignored: string,
): Promise<FoundFile[]> {
  const all: (Source | Unreadable)[] = [];
  for await (const source of sourcesOf(folders, options)) all.push(source);
  const outputs = [ignored, ...scanFolders(all)];
  const found = new Map<string, (Source | Unreadable)[]>();
  for (const source of all) {
    if (outputs.some((folder) => isWithin(path.resolve(source.path), folder))) continue;
    const { identity = source.path } = 'error' in source ? {} : source;
    const known = found.get(identity);
    if (known === undefined) found.set(identity, [source]);
    else known.push(source);
  }
  return [...found.values()].flatMap((sources) => {
    const source = sources.find((one) => !('isLink' in one)) ?? sources[0];
    if (source === undefined) return [];
    const first = path.resolve(source.path);
    const names = new Map(sources.map((one) => [path.resolve(one.path), one.path]));
    names.delete(first);
    return [{ source, names: [...names.values()] }];
  });
}

/** Folders of `isccd scan`: they have its records and its lock. */
function scanFolders(sources: readonly (Source | Unreadable)[]): string[] {
  const paths = new Set(sources.map((source) => path.resolve(source.path)));
  return [...paths]
    .filter((file) => path.basename(file) === RECORDS_FILE)
    .map((file) => path.dirname(file))
    .filter((folder) => paths.has(path.join(folder, LOCK_FILE)));
}
