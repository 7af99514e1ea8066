/** Live Photos: a picture and a film of a few seconds with the same name, which are one item. */
import path from 'node:path';
import type { Group } from './groups.js';
import type { ScannedFile } from './records.js';

const PICTURES: ReadonlySet<string> = new Set(['image/heic', 'image/jpeg']);
const FILM = 'video/quicktime';
/** Their films last about three seconds. Cameras name pictures and longer films alike, too. */
const SECONDS_MAX = 5;

/** The picture of each film that is part of a Live Photo. */
export function livePhotos(files: readonly ScannedFile[]): Map<ScannedFile, ScannedFile> {
  const pictures = new Map<string, ScannedFile>();
  for (const file of files) if (PICTURES.has(file.mediatype)) pictures.set(stemOf(file), file);
  const pairs = new Map<ScannedFile, ScannedFile>();
  for (const file of files) {
    const { mediatype, duration = Number.POSITIVE_INFINITY } = file;
    if (mediatype !== FILM || duration > SECONDS_MAX) continue;
    const picture = pictures.get(stemOf(file));
    if (picture !== undefined) pairs.set(file, picture);
  }
  return pairs;
}

/** Folder and name without extension: `a/IMG_1.HEIC` and `a/IMG_1.mov` have the same. */
function stemOf({ path: file }: ScannedFile): string {
  const { dir, name } = path.parse(file);
  return path.join(dir, name.toLowerCase());
}

/** Without groups of films whose pictures are a group, too. */
export function withoutFilms(
  groups: readonly Group[],
  films: ReadonlyMap<ScannedFile, ScannedFile>,
): Group[] {
  if (films.size === 0) return [...groups];
  const groupOf = new Map<string, Group>();
  const key = (kind: Group['kind'], file: ScannedFile) => `${kind} ${file.path}`;
  for (const group of groups) for (const { file } of group.members) groupOf.set(key(group.kind, file), group);
  return groups.filter(({ kind, members }) => {
    const pictures = members.map(({ file }) => films.get(file));
    const found = new Set(pictures.map((picture) => picture && groupOf.get(key(kind, picture))));
    return found.size !== 1 || found.has(undefined);
  });
}
