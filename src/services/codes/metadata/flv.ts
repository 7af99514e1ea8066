/**
 * Copies an FLV file with other tags. They are in its first script tag, which is an AMF 0 value (Adobe FLV specification
 * 10.1, annex E). All other values and all packets keep their bytes. FFmpeg would drop the encoder and the table of key
 * frames.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ContainerUnfit, readBytes, writeCopy } from './container.js';

export interface FlvChange {
  /** Values by name. */
  readonly written: ReadonlyMap<string, string>;
  /** Lower-case names of values to remove. */
  readonly removed: ReadonlySet<string>;
}

interface Entry {
  readonly key: string;
  /** The AMF value, with its type. */
  readonly value: Buffer;
}

const HEADER_BYTES = 9;
const TAG_HEADER_BYTES = 11;
/** The size of a tag is repeated after it. */
const SIZE_BYTES = 4;
const SCRIPT = 18;
const TAG_MAX_BYTES = 0xff_ffff;
/** A long film has a table of key frames of 2 MB. */
const SCRIPT_MAX_BYTES = 4 * 1024 ** 2;
/** Values of one array or object. */
const ENTRIES_MAX = 10_000;
/** Other tags may be before the script tag. */
const TAGS_MAX = 16;
const DEPTH_MAX = 16;
const TEXT_MAX_BYTES = 0xffff;

const NUMBER = 0;
const TEXT = 2;
const OBJECT = 3;
const ARRAY = 8;
const LIST = 10;
const LONG_TEXT = 12;
/** Bytes of the other types of values, with the type. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [NUMBER, 9],
  [1, 2],
  [5, 1],
  [6, 1],
  [7, 3],
  [11, 11],
]);

const EVENT = Buffer.from('\x02\0\x0aonMetaData\x08', 'latin1');
const END = 9;
/** Numbers that are positions in the file. */
const POSITIONS: ReadonlySet<string> = new Set([
  'filesize',
  'lastkeyframelocation',
  'keyframes.filepositions',
]);

/**
 * Writes a copy of `path` to `target`. Texts of 64 KiB and more are left out.
 *
 * @throws {ContainerUnfit} if the file has no list of tags, or a damaged one
 */
export async function copyWithFlvTags(path: string, target: string, change: FlvChange): Promise<void> {
  const handle = await open(path);
  let found: { readonly at: number; readonly content: Buffer };
  try {
    found = await readScript(handle);
  } finally {
    await handle.close();
  }
  const { at, content } = found;
  const changed = changedScript(content, change, at);
  if (changed.length > TAG_MAX_BYTES) throw new ContainerUnfit('the tags are too large');
  const size = Buffer.alloc(3);
  size.writeUIntBE(changed.length, 0, 3);
  const after = Buffer.alloc(SIZE_BYTES);
  after.writeUInt32BE(TAG_HEADER_BYTES + changed.length);
  const contentAt = at + TAG_HEADER_BYTES;
  await writeCopy(path, target, [
    { from: 0, to: at + 1 },
    size,
    { from: at + 1 + size.length, to: contentAt },
    changed,
    after,
    { from: contentAt + content.length + SIZE_BYTES },
  ]);
}

/** The first script tag: where it starts, and its content. */
async function readScript(handle: FileHandle): Promise<{ at: number; content: Buffer }> {
  const header = await readBytes(handle, 0, HEADER_BYTES);
  if (header.toString('latin1', 0, 3) !== 'FLV') throw new ContainerUnfit('the file has another format');
  let at = header.readUInt32BE(5) + SIZE_BYTES;
  for (let tags = 0; tags < TAGS_MAX; tags += 1) {
    const tag = await readBytes(handle, at, TAG_HEADER_BYTES);
    const bytes = tag.readUIntBE(1, 3);
    if (tag[0] === SCRIPT && bytes > SCRIPT_MAX_BYTES) throw new ContainerUnfit('the tags are too large');
    if (tag[0] === SCRIPT) return { at, content: await readBytes(handle, at + TAG_HEADER_BYTES, bytes) };
    at += TAG_HEADER_BYTES + bytes + SIZE_BYTES;
  }
  throw new ContainerUnfit('the file has no tags at its start');
}

function changedScript(content: Buffer, change: FlvChange, tagAt: number): Buffer {
  if (!content.subarray(0, EVENT.length).equals(EVENT)) throw new ContainerUnfit('the tags are not an array');
  const start = EVENT.length + 4;
  const { entries, end } = readEntries(content, start);
  const changed = changedEntries(entries, change);
  const list = changed.flatMap(({ key, value }) => [withLength(key), value]);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(changed.length);
  const result = Buffer.concat([EVENT, count, ...list, content.subarray(end)]);
  const moved = { from: tagAt + TAG_HEADER_BYTES + content.length, by: result.length - content.length };
  // The positions are inside the result, whose size they do not change.
  readEntries(result, start, (path, at) => {
    const position = result.readDoubleBE(at);
    if (POSITIONS.has(path) && position >= moved.from) result.writeDoubleBE(position + moved.by, at);
  });
  return result;
}

/** The first value of a name gets the new text. */
function changedEntries(entries: readonly Entry[], { written, removed }: FlvChange): readonly Entry[] {
  const texts = [...written].filter(([, value]) => Buffer.byteLength(value) <= TEXT_MAX_BYTES);
  const left = new Map(texts.map(([key, value]) => [key.toLowerCase(), { key, value: textValue(value) }]));
  const changed = entries.flatMap((entry): Entry[] => {
    const name = entry.key.toLowerCase();
    const now = left.get(name);
    left.delete(name);
    if (now !== undefined) return [{ ...entry, value: now.value }];
    return removed.has(name) ? [] : [entry];
  });
  return [...changed, ...left.values()];
}

/** Called with the path and the place of each number. */
type OnNumber = (path: string, at: number) => void;

/** Names and values from `at` on, and where the mark of their end is. */
function readEntries(
  bytes: Buffer,
  at: number,
  onNumber?: OnNumber,
  path = '',
  depth = 0,
): { readonly entries: readonly Entry[]; readonly end: number } {
  const entries: Entry[] = [];
  let next = at;
  for (;;) {
    // Some programs leave out the mark.
    if (depth === 0 && next === bytes.length) return { entries, end: next };
    checkRoom(bytes, next, 2);
    const valueAt = next + 2 + bytes.readUInt16BE(next);
    checkRoom(bytes, valueAt, 1);
    const key = bytes.toString('latin1', next + 2, valueAt);
    if (key === '' && bytes[valueAt] === END) return { entries, end: next };
    next = endOfValue(bytes, valueAt, onNumber, path === '' ? key : `${path}.${key}`, depth + 1);
    if (entries.length === ENTRIES_MAX) throw new ContainerUnfit('the file has too many tags');
    entries.push({ key, value: bytes.subarray(valueAt, next) });
  }
}

function endOfValue(
  bytes: Buffer,
  at: number,
  onNumber: OnNumber | undefined,
  path: string,
  depth: number,
): number {
  if (depth > DEPTH_MAX) throw new ContainerUnfit('the tags are nested too deeply');
  const type = bytes[at];
  const fixed = FIXED_BYTES.get(type ?? -1);
  if (fixed !== undefined) {
    checkRoom(bytes, at, fixed);
    if (type === NUMBER) onNumber?.(path, at + 1);
    return at + fixed;
  }
  checkRoom(bytes, at, 5);
  if (type === TEXT || type === LONG_TEXT) {
    const head = type === TEXT ? 3 : 5;
    const size = type === TEXT ? bytes.readUInt16BE(at + 1) : bytes.readUInt32BE(at + 1);
    checkRoom(bytes, at, head + size);
    return at + head + size;
  }
  if (type === OBJECT || type === ARRAY) {
    const { end } = readEntries(bytes, at + (type === OBJECT ? 1 : 5), onNumber, path, depth);
    return end + 3;
  }
  if (type !== LIST) throw new ContainerUnfit('a tag has an unknown type');
  let next = at + 5;
  for (let left = bytes.readUInt32BE(at + 1); left > 0; left -= 1) {
    next = endOfValue(bytes, next, onNumber, path, depth + 1);
  }
  return next;
}

function checkRoom(bytes: Buffer, at: number, size: number): void {
  if (at + size > bytes.length) throw new ContainerUnfit('the tags are damaged');
}

function textValue(value: string): Buffer {
  return Buffer.concat([Buffer.from([TEXT]), withLength(Buffer.from(value))]);
}

/** Names are Latin-1 here, one character per byte. */
function withLength(text: string | Buffer): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
