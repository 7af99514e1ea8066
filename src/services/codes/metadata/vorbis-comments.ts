/** Vorbis comments, which FLAC and the codecs in Ogg files share: a vendor, then texts `NAME=value`. */
import { ContainerUnfit } from './container.js';

export interface CommentChange {
  /** Values by name. The first comment of a name gets the value, others are removed. Without one, it is added. */
  readonly written: ReadonlyMap<string, string>;
  /** Values by name, for comments that are only replaced where they exist. */
  readonly replaced?: ReadonlyMap<string, string>;
  /** Names of comments to remove. */
  readonly removed?: ReadonlySet<string>;
}

const LENGTH_BYTES = 4;
/** Usual files have fewer than a hundred. */
const COMMENTS_MAX = 100_000;

/**
 * A list of comments with changes. All other comments keep their bytes, also empty ones and those that are not UTF-8.
 *
 * @throws {ContainerUnfit} if the list is damaged or very long
 */
export function changedComments(content: Buffer, { written, replaced, removed }: CommentChange): Buffer {
  const vendor = field(content, 0);
  const countAt = LENGTH_BYTES + vendor.length;
  if (countAt + LENGTH_BYTES > content.length) throw new ContainerUnfit('the comments are damaged');
  const all = content.readUInt32LE(countAt);
  if (all > COMMENTS_MAX) throw new ContainerUnfit('the file has too many comments');
  const values = new Map([...(replaced ?? []), ...written].map(([name, value]) => [keyOf(name), value]));
  const removedKeys = new Set([...(removed ?? [])].map(keyOf));
  const placed = new Set<string>();
  const comments: Buffer[] = [];
  let at = countAt + LENGTH_BYTES;
  for (let left = all; left > 0; left -= 1) {
    const comment = field(content, at);
    at += LENGTH_BYTES + comment.length;
    const name = nameOf(comment);
    const key = name === undefined ? undefined : keyOf(name);
    const value = key === undefined ? undefined : values.get(key);
    if (key === undefined || (value === undefined && !removedKeys.has(key))) comments.push(comment);
    else if (value !== undefined && !placed.has(key)) comments.push(Buffer.from(`${name}=${value}`));
    if (key !== undefined) placed.add(key);
  }
  for (const [name, value] of written)
    if (!placed.has(keyOf(name))) comments.push(Buffer.from(`${name}=${value}`));
  const count = Buffer.alloc(LENGTH_BYTES);
  count.writeUInt32LE(comments.length);
  // A bit of Vorbis, or padding, may follow.
  return Buffer.concat([...withLength(vendor), count, ...comments.flatMap(withLength), content.subarray(at)]);
}

/** An empty list. */
export function noComments(): Buffer {
  return Buffer.alloc(2 * LENGTH_BYTES);
}

/** The name as the file spells it; `undefined` for texts without a name. */
function nameOf(comment: Buffer): string | undefined {
  const end = comment.indexOf('=');
  return end < 0 ? undefined : comment.toString('latin1', 0, end);
}

/** Case does not matter, and the artist of an album has three names. */
function keyOf(name: string): string {
  const key = name.toLowerCase();
  return key === 'album artist' || key === 'album_artist' ? 'albumartist' : key;
}

function field(content: Buffer, at: number): Buffer {
  const start = at + LENGTH_BYTES;
  const end = start <= content.length ? start + content.readUInt32LE(at) : Number.POSITIVE_INFINITY;
  if (end > content.length) throw new ContainerUnfit('the comments are damaged');
  return content.subarray(start, end);
}

function withLength(bytes: Buffer): readonly [Buffer, Buffer] {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}
