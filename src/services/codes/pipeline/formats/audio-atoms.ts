/** Writes iTunes atoms into the movie header of M4A files. All other atoms keep their bytes. */
import type { native } from '../../../../native.js';
import { freeBox, freeText, textData, withItunesList } from './video-box-tags.js';
import { type Box, copyWithMovie } from './video-boxes.js';

type Properties = Parameters<typeof native.embedAudioTags>[1];

/** TagLib's properties with an atom of their own. Others are free-form atoms of this owner. */
const ATOMS: ReadonlyMap<string, string> = new Map([
  ['TITLE', '\u00a9nam'],
  ['ARTIST', '\u00a9ART'],
  ['ALBUMARTIST', 'aART'],
  ['COMPOSER', '\u00a9wrt'],
  ['COMMENT', '\u00a9cmt'],
  ['DESCRIPTION', 'desc'],
  ['COPYRIGHT', 'cprt'],
  ['KEYWORDS', 'keyw'],
]);
const OWNER = 'com.apple.iTunes';

/**
 * Writes a copy of `path` to `target` with these properties. The first atom of a property gets the value, others are
 * removed.
 *
 * @throws {ContainerUnfit} if the file is fragmented or its structure is not supported
 */
export function copyWithAtoms(path: string, target: string, properties: Properties): Promise<void> {
  return copyWithMovie(path, target, (movie) =>
    withItunesList(movie, (atoms) => properties.reduce(withProperty, atoms)),
  );
}

function withProperty(
  atoms: readonly Box[],
  { name, value, onlyExisting }: Properties[number],
): readonly Box[] {
  const type = ATOMS.get(name);
  const isProperty = (box: Box) =>
    type === undefined
      ? freeText(box, 'mean') === OWNER && freeText(box, 'name').toUpperCase() === name
      : box.type === type;
  const box = type === undefined ? freeBox(OWNER, name, value) : { type, content: textData(value) };
  const at = atoms.findIndex(isProperty);
  if (at < 0) return onlyExisting ? atoms : [...atoms, box];
  return atoms.with(at, box).filter((one, index) => index <= at || !isProperty(one));
}
