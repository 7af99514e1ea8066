/** Live Photos: a picture and a film of a few seconds, which are one item. */
import path from 'node:path';
import type { Group } from './groups.js';
import type { ScannedFile } from './records.js';

const PICTURES: ReadonlySet<string> = new Set(['image/heic', 'image/jpeg']);
const FILM = 'video/quicktime';
/** Their films last about three seconds. Cameras name pictures and longer films alike, too. */
const SECONDS_MAX = 5;

/**
 * The picture of each film that is part of a Live Photo: the one with the same content identifier, else one with the same
 * name in the same folder, because programs that copy photos can lose the identifier.
 */
export function livePhotos(files: readonly ScannedFile[]): Map<ScannedFile, ScannedFile> {
  const named = new Map<string, ScannedFile>();
  const identified = new Map<string, ScannedFile[]>();
  for (const file of files) {
    if (!PICTURES.has(file.mediatype)) continue;
    named.set(stemOf(file), file);
    const { contentIdentifier: identifier } = file;
    if (identifier === undefined) continue;
    const known = identified.get(identifier);
    if (known === undefined) identified.set(identifier, [file]);
    else known.push(file);
  }
  const pairs = new Map<ScannedFile, ScannedFile>();
  for (const film of files) {
    if (film.mediatype !== FILM) continue;
    const picture =
      closest(film, identified.get(film.contentIdentifier ?? '') ?? []) ?? namesake(film, named);
    if (picture !== undefined) pairs.set(film, picture);
  }
  return pairs;
}

/** Of copies of a picture, the one that was copied together with the film. */
function closest(film: ScannedFile, pictures: readonly ScannedFile[]): ScannedFile | undefined {
  const folder = path.dirname(film.path);
  const together = pictures.filter((picture) => path.dirname(picture.path) === folder);
  return together.find((picture) => stemOf(picture) === stemOf(film)) ?? together[0] ?? pictures[0];
}

function namesake(film: ScannedFile, named: ReadonlyMap<string, ScannedFile>): ScannedFile | undefined {
  const { duration = Number.POSITIVE_INFINITY, contentIdentifier: own } = film;
  const picture = named.get(stemOf(film));
  if (duration > SECONDS_MAX || picture === undefined) return undefined;
  const isOther = own !== undefined && picture.contentIdentifier !== undefined;
  return isOther ? undefined : picture;
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
