/** Edits the tags in the movie header of an MP4, QuickTime or 3GP file. */
import { ContainerUnfit } from '../../metadata/container.js';
import { type Box, boxBytes, boxesOf, joined } from './video-boxes.js';

/** Keys are case-insensitive. */
export interface TagChange {
  readonly written: ReadonlyMap<string, string>;
  /** Values of iTunes atoms. */
  readonly atoms: ReadonlyMap<string, string>;
  /** Values by lower-case name, for keys that are replaced where a keyed list has them. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Lower-case names of tags to remove, in whatever form they are stored. */
  readonly removed: ReadonlySet<string>;
}

/** Whether a place is an iTunes atom: four characters, the first of which may be a copyright sign. */
export function isAtom(place: string): boolean {
  return ATOMS.has(place);
}

/** Atoms that are written, and all boxes from which programs read an old value of the same field. */
const ATOMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['\u00a9nam', ['\u00a9nam', 'titl']],
  ['desc', ['desc', 'ldes', '\u00a9des', '\u00a9cmt', '\u00a9inf', 'dscp']],
  ['\u00a9ART', ['\u00a9ART', '\u00a9aut', '\u00a9wrt', 'aART', 'auth', 'perf']],
  ['cprt', ['cprt', '\u00a9cpy']],
  ['keyw', ['keyw', '\u00a9key', 'kywd']],
]);
/** Version and flags, all zero. */
const FULL = Buffer.alloc(4);
/** Handler types of lists with named keys, and of iTunes lists. */
const KEYED = 'mdta';
const ITUNES = 'mdir';
const NOTHING: ReadonlyMap<string, string> = new Map();

/** Names of keys that other programs read like the atoms. */
const ATOM_NAMES: ReadonlyMap<string, string> = new Map([
  ['\u00a9nam', 'title'],
  ['desc', 'description'],
  ['\u00a9ART', 'artist'],
]);

/** The change for a file that can't hold atoms: their values get keys. */
export function withoutAtoms(change: TagChange): TagChange {
  const named = [...change.atoms].flatMap(([atom, value]): [string, string][] => {
    const name = ATOM_NAMES.get(atom);
    return name === undefined ? [] : [[name, value]];
  });
  return { ...change, written: new Map([...change.written, ...named]), atoms: NOTHING };
}

/** The tag of a key after the change: `undefined` if it is removed, or written elsewhere. */
export function keptValue<T>(
  key: string,
  value: T,
  { written, replaced, removed }: TagChange,
): T | string | undefined {
  const name = key.toLowerCase();
  if (written.has(name)) return undefined;
  return replaced.get(name) ?? (removed.has(name) ? undefined : value);
}

/** The movie header boxes with changed tags. Cover, chapters and other tags are kept. */
export function movieWithTags(movie: readonly Box[], change: TagChange): Box[] {
  if (change.atoms.size === 0) return changedMovie(movie, change);
  const roomy = withRoomForAtoms(movie);
  const lists = [...roomy, ...userBoxes(roomy)].filter(isMeta);
  const hasRoom = lists.some(isItunes) || !userBoxes(roomy).some(isMeta);
  return changedMovie(roomy, hasRoom ? change : withoutAtoms(change));
}

/** Readers look for atoms in `udta` only, so a keyed list there moves to QuickTime's place next to it. */
function withRoomForAtoms(boxes: readonly Box[]): readonly Box[] {
  const inUser = userBoxes(boxes);
  const keyed = inUser.find((box) => isMeta(box) && readMeta(box.content).handler === KEYED);
  if (keyed === undefined || boxes.some(isMeta) || inUser.some((box) => isMeta(box) && isItunes(box))) {
    return boxes;
  }
  const rest = inUser.filter((box) => box !== keyed);
  return [...withUser(boxes, rest), metaBox(Buffer.alloc(0), readMeta(keyed.content).boxes)];
}

function isMeta({ type }: Box): boolean {
  return type === 'meta';
}

function isItunes({ content }: Box): boolean {
  return readMeta(content).handler === ITUNES;
}

function changedMovie(movie: readonly Box[], change: TagChange): Box[] {
  // The first list of each kind receives the new tags.
  let { written, atoms } = change;
  const replaced = replacedAtoms(change);
  const changed = (box: Box): Box => {
    if (box.type === 'udta') {
      const kept = boxesOf(box.content).filter(({ type }) => !replaced.has(type));
      return { type: 'udta', content: joined(kept.map(changed)) };
    }
    if (box.type !== 'meta') return box;
    const { start, handler, boxes } = readMeta(box.content);
    if (handler === KEYED) {
      const list = keyedList(boxes, { ...change, written });
      written = NOTHING;
      return metaBox(start, list);
    }
    if (handler !== ITUNES) return box;
    const list = atomList(boxes, { ...change, atoms });
    atoms = NOTHING;
    return metaBox(start, list);
  };
  const boxes = movie.map(changed);
  const withAtoms = atoms.size === 0 ? boxes : withNewAtoms(boxes, change);
  return written.size === 0 ? withAtoms : withNewList(withAtoms, change);
}

/** The movie header boxes with a changed iTunes list, which is added if the file has none. */
export function withItunesList(
  movie: readonly Box[],
  change: (atoms: readonly Box[]) => readonly Box[],
): Box[] {
  const inUser = userBoxes(movie);
  const index = inUser.findIndex((box) => isMeta(box) && isItunes(box));
  const found = inUser[index];
  if (found === undefined && inUser.some(isMeta))
    throw new ContainerUnfit('the movie header already has a list of another kind');
  const handler = { type: 'hdlr', content: handlerContent(ITUNES, 'appl') };
  const { start, boxes } = found ? readMeta(found.content) : { start: FULL, boxes: [handler] };
  const at = boxes.findIndex(({ type }) => type === 'ilst');
  const list = { type: 'ilst', content: joined(change(boxesOf(boxes[at]?.content ?? Buffer.alloc(0)))) };
  const meta = metaBox(start, at < 0 ? [...boxes, list] : boxes.with(at, list));
  return withUser(movie, found ? inUser.with(index, meta) : [...inUser, meta]);
}

/** Adds an iTunes list inside `udta`. */
function withNewAtoms(boxes: readonly Box[], change: TagChange): Box[] {
  const inUser = userBoxes(boxes);
  const list = atomList([{ type: 'hdlr', content: handlerContent(ITUNES, 'appl') }], change);
  return withUser(boxes, [...inUser, metaBox(FULL, list)]);
}

/** Adds a keyed list inside `udta`, as FFmpeg does, or next to it, as QuickTime does, if `udta` has an iTunes list. */
function withNewList(boxes: readonly Box[], change: TagChange): Box[] {
  const inUser = userBoxes(boxes);
  const list = keyedList([{ type: 'hdlr', content: handlerContent(KEYED) }], change);
  if (!inUser.some(isMeta)) return withUser(boxes, [...inUser, metaBox(FULL, list)]);
  if (boxes.some(isMeta)) throw new ContainerUnfit('the movie header already has a list of another kind');
  return [...boxes, metaBox(Buffer.alloc(0), list)];
}

function userBoxes(boxes: readonly Box[]): Box[] {
  return boxesOf(boxes.find(({ type }) => type === 'udta')?.content ?? Buffer.alloc(0));
}

function withUser(boxes: readonly Box[], content: readonly Box[]): Box[] {
  const user = { type: 'udta', content: joined(content) };
  const at = boxes.findIndex(({ type }) => type === 'udta');
  return at < 0 ? [...boxes, user] : boxes.with(at, user);
}

/** Types of the boxes with an old value of the written atoms. */
function replacedAtoms({ atoms }: TagChange): ReadonlySet<string> {
  return new Set([...atoms.keys()].flatMap((atom) => ATOMS.get(atom) ?? []));
}

function metaBox(start: Buffer, boxes: readonly Box[]): Box {
  return { type: 'meta', content: Buffer.concat([start, joined(boxes)]) };
}

interface Meta {
  /** Version and flags; absent in QuickTime's form. */
  readonly start: Buffer;
  readonly handler: string;
  readonly boxes: readonly Box[];
}

function readMeta(content: Buffer): Meta {
  const isBare = content.toString('latin1', 4, 8) === 'hdlr';
  const start = content.subarray(0, isBare ? 0 : FULL.length);
  const boxes = boxesOf(content.subarray(start.length));
  const handler = boxes.find(({ type }) => type === 'hdlr')?.content.toString('latin1', 8, 12) ?? '';
  return { start, handler, boxes };
}

/** An iTunes list with new atoms: first the kept ones unchanged, then the new ones. */
function atomList(boxes: readonly Box[], change: TagChange): Box[] {
  const replaced = replacedAtoms(change);
  const isKept = (one: Box) => !replaced.has(one.type) && !change.removed.has(freeName(one));
  const old = boxes.find(({ type }) => type === 'ilst')?.content ?? Buffer.alloc(0);
  const added = [...change.atoms].map(([type, value]) => ({ type, content: textData(value) }));
  const list = { type: 'ilst', content: joined([...boxesOf(old).filter(isKept), ...added]) };
  return [...boxes.filter(({ type }) => type !== 'ilst'), list];
}

/** Lower-case name of a free-form (`----`) box; empty for other boxes. */
function freeName(box: Box): string {
  return freeText(box, 'name').toLowerCase();
}

/** The owner (`mean`) or the name of a free-form (`----`) box; empty for other boxes. */
export function freeText({ type, content }: Box, part: 'mean' | 'name'): string {
  if (type !== '----') return '';
  const text = boxesOf(content).find((one) => one.type === part)?.content;
  return text?.toString('utf8', FULL.length) ?? '';
}

/** A free-form box with a text. */
export function freeBox(mean: string, name: string, value: string): Box {
  const part = (type: string, text: string) => boxBytes(type, Buffer.concat([FULL, Buffer.from(text)]));
  return {
    type: '----',
    content: Buffer.concat([part('mean', mean), part('name', name), textData(value)]),
  };
}

/** Rebuilds keys and values: first the kept ones unchanged, then the new ones. */
function keyedList(boxes: readonly Box[], change: TagChange): Box[] {
  const find = (type: string) => boxes.find((box) => box.type === type)?.content;
  const keys = readKeys(find('keys'));
  const items = boxesOf(find('ilst') ?? Buffer.alloc(0));
  const kept = items.flatMap(({ type, content }) => {
    const key = keys[Buffer.from(type, 'latin1').readUInt32BE() - 1];
    const value = key && keptValue(key.content.toString('utf8'), content, change);
    if (key === undefined || value === undefined) return [];
    return [{ key, content: typeof value === 'string' ? textData(value) : value }];
  });
  const added = [...change.written].map(([key, value]) => ({
    key: { type: 'mdta', content: Buffer.from(key) },
    content: textData(value),
  }));
  const all = [...kept, ...added];
  const list = all.map(({ content }, index) => ({ type: keyNumber(index + 1), content }));
  const count = Buffer.alloc(4);
  count.writeUInt32BE(all.length);
  return [
    ...boxes.filter(({ type }) => type !== 'keys' && type !== 'ilst'),
    { type: 'keys', content: Buffer.concat([FULL, count, joined(all.map(({ key }) => key))]) },
    { type: 'ilst', content: joined(list) },
  ];
}

function readKeys(content: Buffer | undefined): Box[] {
  return content === undefined || content.length < 8 ? [] : boxesOf(content.subarray(8));
}

/** The type of a value's box is the number of its key. */
function keyNumber(index: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(index);
  return bytes.toString('latin1');
}

const UTF8_TYPE = 1;

/** The box that holds a text inside the box of an atom or key. */
export function textData(value: string): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32BE(UTF8_TYPE);
  return boxBytes('data', Buffer.concat([start, Buffer.from(value)]));
}

function handlerContent(handler: string, manufacturer = ''): Buffer {
  const content = Buffer.alloc(25);
  content.write(handler, 8, 'latin1');
  content.write(manufacturer, 12, 'latin1');
  return content;
}
