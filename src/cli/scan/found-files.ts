/** The files of a scan, each once: a file must not be a duplicate of itself, found by several names or folders. */
import path from 'node:path';
import type { Source, Unreadable } from '../batch/source.js';
import { type SourceOptions, sourcesOf } from '../batch/sources.js';
import { isWithin } from './watched-folder.js';

export interface FoundFile {
  readonly source: Source | Unreadable;
  /** Further names: hard links, and links to the file or to a folder of it. */
  readonly names: readonly string[];
}

/** @param ignored absolute path of a folder that is left out */
export async function foundFiles(
  folders: readonly string[],
  options: SourceOptions,
  ignored: string,
): Promise<FoundFile[]> {
  const found = new Map<string, (Source | Unreadable)[]>();
  for await (const source of sourcesOf(folders, options)) {
    if (isWithin(path.resolve(source.path), ignored)) continue;
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
