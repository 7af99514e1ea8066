/** Edits the tags in the movie header of an MP4, QuickTime or 3GP file. */
import { type Box, BoxesUnfit, boxBytes, boxesOf, joined } from './video-boxes.js';

/** Keys are case-insensitive. */
export interface TagChange {
  readonly written: ReadonlyMap<string, string>;
  /** Lower-case names of tags to remove, in whatever form they are stored. */
  readonly removed: ReadonlySet<string>;
}

/** Single-value boxes from which FFmpeg reads descriptive tags. */
const DESCRIPTIVE: ReadonlySet<string> = new Set(
  (
    '\u00a9nam \u00a9aut \u00a9ART \u00a9wrt \u00a9cpy \u00a9des \u00a9cmt \u00a9inf \u00a9alb \u00a9trk ' +
    'aART desc ldes cprt tvsh trkn titl auth dscp albm perf'
  ).split(' '),
);
/** Version and flags, all zero. */
const FULL = Buffer.alloc(4);
/** Handler type of lists with named keys. */
const KEYED = 'mdta';
const NOTHING: ReadonlyMap<string, string> = new Map();

/** The movie header boxes with changed tags. Cover, chapters and other tags are kept. */
export function movieWithTags(movie: readonly Box[], change: TagChange): Box[] {
  // The first keyed list receives the new tags.
  let { written } = change;
  const changed = (box: Box): Box => {
    if (box.type === 'udta') {
      const kept = boxesOf(box.content).filter(({ type }) => !DESCRIPTIVE.has(type));
      return { type: 'udta', content: joined(kept.map(changed)) };
    }
    if (box.type !== 'meta') return box;
    const { start, handler, boxes } = readMeta(box.content);
    if (handler !== KEYED) return metaBox(start, withoutTags(boxes, change));
    const list = keyedList(boxes, { ...change, written });
    written = NOTHING;
    return metaBox(start, list);
  };
  const boxes = movie.map(changed);
  return written === NOTHING ? boxes : withNewList(boxes, change);
}

/** Adds a keyed list inside `udta`, as FFmpeg does, or next to it, as QuickTime does, if `udta` has an iTunes list. */
function withNewList(boxes: readonly Box[], change: TagChange): Box[] {
  const at = boxes.findIndex(({ type }) => type === 'udta');
  const inUser = at < 0 ? [] : boxesOf(boxes[at]?.content ?? FULL);
  const list = keyedList([{ type: 'hdlr', content: handlerContent(KEYED) }], change);
  if (inUser.every(({ type }) => type !== 'meta')) {
    const user = { type: 'udta', content: joined([...inUser, metaBox(FULL, list)]) };
    return at < 0 ? [...boxes, user] : boxes.with(at, user);
  }
  if (boxes.some(({ type }) => type === 'meta'))
    throw new BoxesUnfit('the movie header already has a list of another kind');
  return [...boxes, metaBox(Buffer.alloc(0), list)];
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

/** An iTunes list without the descriptive tags. */
function withoutTags(boxes: readonly Box[], { removed }: TagChange): Box[] {
  const isKept = (one: Box) => !DESCRIPTIVE.has(one.type) && !removed.has(freeName(one));
  return boxes.map((box) =>
    box.type === 'ilst' ? { type: 'ilst', content: joined(boxesOf(box.content).filter(isKept)) } : box,
  );
}

/** Lower-case name of a free-form (`----`) box; empty for other boxes. */
function freeName({ type, content }: Box): string {
  if (type !== '----') return '';
  const name = boxesOf(content).find((one) => one.type === 'name')?.content;
  return name?.toString('utf8', FULL.length).toLowerCase() ?? '';
}

/** Rebuilds keys and values: first the kept ones unchanged, then the new ones. */
function keyedList(boxes: readonly Box[], { written, removed }: TagChange): Box[] {
  const find = (type: string) => boxes.find((box) => box.type === type)?.content;
  const keys = readKeys(find('keys'));
  const items = boxesOf(find('ilst') ?? Buffer.alloc(0));
  const kept = items.flatMap(({ type, content }) => {
    const key = keys[Buffer.from(type, 'latin1').readUInt32BE() - 1];
    const isKept = key !== undefined && !removed.has(key.content.toString('utf8').toLowerCase());
    return isKept ? [{ key, content }] : [];
  });
  const added = [...written].map(([key, value]) => ({
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

function textData(value: string): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32BE(UTF8_TYPE);
  return boxBytes('data', Buffer.concat([start, Buffer.from(value)]));
}

function handlerContent(handler: string): Buffer {
  const content = Buffer.alloc(25);
  content.write(handler, 8, 'latin1');
  return content;
}
