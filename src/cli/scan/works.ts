/** Files that are the same work, for reports about parts of files. */
import type { Group } from './groups.js';
import type { ScannedFile } from './records.js';

/** For each file in a group of near-duplicates the first of it. */
export function workOf(groups: readonly Group[]): Map<ScannedFile, ScannedFile> {
  const works = new Map<ScannedFile, ScannedFile>();
  for (const { kind, members } of groups) {
    const [first] = members;
    if (kind === 'near-duplicates' && first !== undefined)
      for (const { file } of members) works.set(file, first.file);
  }
  return works;
}
