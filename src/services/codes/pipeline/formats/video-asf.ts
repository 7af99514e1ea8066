/** Copies an ASF, WMV or WMA file with different tags. Everything but the tags is copied byte by byte. */
import { type FileHandle, open } from 'node:fs/promises';
import { ContainerUnfit, readBytes, writeCopy } from '../../metadata/container.js';
import type { TagChange } from './video-box-tags.js';

interface AsfObject {
  /** Hexadecimal, in the order of the bytes. */
  readonly type: string;
  readonly content: Buffer;
}

const HEADER = '3026b2758e66cf11a6d900aa0062ce6c';
const FILE_PROPERTIES = 'a1dcab8c47a9cf118ee400c00c205365';
const DESCRIPTION = '3326b2758e66cf11a6d900aa0062ce6c';
const ATTRIBUTES = '40a4d0d207e3d21197f000a0c95ea850';
const EXTENSION = 'b503bf5f2ea9cf118ee300c00c205365';
/** Lists inside the extension, of attributes with a stream and a language. */
const METADATA: ReadonlySet<string> = new Set([
  'eacbf8c5af5b77488467aa8c44fa4cca',
  '941c23449894d149a1411d134e457054',
]);
/** A signature of the header would be wrong after a change. */
const SIGNATURE = 'fcb3112223bdd211b4b700a0c955fc6e';

const TYPE_BYTES = 16;
const OBJECT_START_BYTES = 24;
/** The header has a number of objects and two reserved bytes before its objects. */
const HEADER_START_BYTES = 30;
/** The extension has reserved fields and a size before its objects. */
const EXTENSION_START_BYTES = 22;
/** Covers are in the header. */
const HEADER_MAX_BYTES = 128 * 1024 ** 2;
const TEXT_TYPE = 0;
const UINT16_MAX = 0xffff;

/** Values that the file describes itself by, in their order, by FFmpeg's names of tags. The last is the rating. */
const DESCRIBED = ['title', 'artist', 'copyright', 'description'] as const;
const DESCRIPTION_VALUES = DESCRIBED.length + 1;
/** FFmpeg reads this attribute from the same place as `artist`. */
const AUTHOR = 'author';
/** Names of attributes that FFmpeg shows under the names on the left, in lower case. */
const ATTRIBUTE_NAMES: ReadonlyMap<string, string> = new Map([
  ['artist', AUTHOR],
  ['composer', 'wm/composer'],
  ['album_artist', 'wm/albumartist'],
]);

/**
 * Writes a copy of `path` to `target`. Values that are too long for the format are left out.
 *
 * @throws {ContainerUnfit} if the header is damaged or signed
 */
export async function copyWithAsfTags(path: string, target: string, change: TagChange): Promise<void> {
  const handle = await open(path);
  let before: Buffer;
  try {
    before = await readHeader(handle);
  } finally {
    await handle.close();
  }
  const after = headerWithTags(before, change);
  await writeCopy(path, target, [after, { from: before.length }]);
}

async function readHeader(handle: FileHandle): Promise<Buffer> {
  const start = await readBytes(handle, 0, HEADER_START_BYTES);
  const size = Number(start.readBigUInt64LE(TYPE_BYTES));
  if (start.toString('hex', 0, TYPE_BYTES) !== HEADER)
    throw new ContainerUnfit('the file does not start with a header');
  if (size < HEADER_START_BYTES || size > HEADER_MAX_BYTES)
    throw new ContainerUnfit('the header has a wrong size');
  return readBytes(handle, 0, size);
}

function headerWithTags(header: Buffer, change: TagChange): Buffer {
  const objects = objectsOf(header.subarray(HEADER_START_BYTES));
  if (objects.some(({ type }) => type === SIGNATURE)) throw new ContainerUnfit('the header is signed');
  const removed = removedNames(change);
  const all = [DESCRIPTION, ATTRIBUTES].reduce(withObject, objects).map(({ type, content }): AsfObject => {
    if (type === DESCRIPTION) return { type, content: described(content, change.written) };
    if (type === ATTRIBUTES) return { type, content: withAttributes(content, change.written, removed) };
    return { type, content: type === EXTENSION ? extensionWithout(content, removed) : content };
  });
  const start = Buffer.from(header.subarray(0, HEADER_START_BYTES));
  const content = joined(all);
  start.writeBigUInt64LE(BigInt(start.length + content.length), TYPE_BYTES);
  start.writeUInt32LE(all.length, OBJECT_START_BYTES);
  const result = Buffer.concat([start, content]);
  resize(result, result.length - header.length);
  return result;
}

/** Adds an empty object of a type that is missing. */
function withObject(objects: readonly AsfObject[], type: string): readonly AsfObject[] {
  if (objects.some((one) => one.type === type)) return objects;
  return [...objects, { type, content: Buffer.alloc(type === DESCRIPTION ? 2 * DESCRIPTION_VALUES : 2) }];
}

/** Changes the size of the file in its header, which is zero in a broadcast. */
function resize(header: Buffer, by: number): void {
  const properties = objectsOf(header.subarray(HEADER_START_BYTES)).find(
    ({ type }) => type === FILE_PROPERTIES,
  );
  if (properties === undefined || properties.content.length < TYPE_BYTES + 8) return;
  const size = properties.content.readBigUInt64LE(TYPE_BYTES);
  if (size > 0n) properties.content.writeBigUInt64LE(size + BigInt(by), TYPE_BYTES);
}

function removedNames({ removed }: TagChange): ReadonlySet<string> {
  return new Set([...removed].flatMap((name) => [name, ATTRIBUTE_NAMES.get(name) ?? name]));
}

/** The description with new values; the others are kept. */
function described(content: Buffer, written: ReadonlyMap<string, string>): Buffer {
  const lengths = Array.from({ length: DESCRIPTION_VALUES }, (_, index) =>
    slice(content, 2 * index, 2).readUInt16LE(),
  );
  let at = 2 * DESCRIPTION_VALUES;
  const values = lengths.map((length, index) => {
    const old = slice(content, at, length);
    at += length;
    const value = written.get(DESCRIBED[index] ?? '');
    if (value === undefined) return old;
    const text = wide(value);
    return text.length > UINT16_MAX ? Buffer.alloc(0) : text;
  });
  return Buffer.concat([...values.map(({ length }) => uint16(length)), ...values]);
}

/** The attributes: first the kept ones unchanged, then those that the description has no place for. */
function withAttributes(
  content: Buffer,
  written: ReadonlyMap<string, string>,
  removed: ReadonlySet<string>,
): Buffer {
  const elsewhere: ReadonlySet<string> = new Set([...DESCRIBED, AUTHOR]);
  const kept = records(content, (at) => {
    const nameBytes = slice(content, at, 2).readUInt16LE();
    const valueBytes = slice(content, at + 2 + nameBytes + 2, 2).readUInt16LE();
    return { nameStart: at + 2, nameBytes, end: at + 2 + nameBytes + 4 + valueBytes };
  }).filter(({ name }) => !removed.has(name));
  const added = [...written].flatMap(([name, value]) => {
    const text = wide(value);
    if (elsewhere.has(name) || text.length > UINT16_MAX) return [];
    const key = wide(name);
    return [Buffer.concat([uint16(key.length), key, uint16(TEXT_TYPE), uint16(text.length), text])];
  });
  return list([...kept.map(({ bytes }) => bytes), ...added]);
}

/** The extension without old values. */
function extensionWithout(content: Buffer, removed: ReadonlySet<string>): Buffer {
  const start = Buffer.from(slice(content, 0, EXTENSION_START_BYTES));
  const objects = objectsOf(content.subarray(EXTENSION_START_BYTES)).map(({ type, content: old }) => ({
    type,
    content: METADATA.has(type) ? metadataWithout(old, removed) : old,
  }));
  const rest = joined(objects);
  start.writeUInt32LE(rest.length, EXTENSION_START_BYTES - 4);
  return Buffer.concat([start, rest]);
}

function metadataWithout(content: Buffer, removed: ReadonlySet<string>): Buffer {
  const all = records(content, (at) => {
    const nameBytes = slice(content, at + 4, 2).readUInt16LE();
    const valueBytes = slice(content, at + 8, 4).readUInt32LE();
    return { nameStart: at + 12, nameBytes, end: at + 12 + nameBytes + valueBytes };
  });
  return list(all.filter(({ name }) => !removed.has(name)).map(({ bytes }) => bytes));
}

interface Extent {
  readonly nameStart: number;
  readonly nameBytes: number;
  readonly end: number;
}

/** Bytes and lower-case name of each record of a list that starts with their number. */
function records(content: Buffer, extentAt: (at: number) => Extent): { name: string; bytes: Buffer }[] {
  const count = slice(content, 0, 2).readUInt16LE();
  let at = 2;
  return Array.from({ length: count }, () => {
    const { nameStart, nameBytes, end } = extentAt(at);
    const name = slice(content, nameStart, nameBytes).toString('utf16le').replace(/\0+$/, '').toLowerCase();
    const bytes = slice(content, at, end - at);
    at = end;
    return { name, bytes };
  });
}

function list(all: readonly Buffer[]): Buffer {
  if (all.length > UINT16_MAX) throw new ContainerUnfit('the file has too many attributes');
  return Buffer.concat([uint16(all.length), ...all]);
}

function objectsOf(bytes: Buffer): AsfObject[] {
  const objects: AsfObject[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = slice(bytes, at, OBJECT_START_BYTES);
    const size = Number(start.readBigUInt64LE(TYPE_BYTES));
    if (size < OBJECT_START_BYTES) throw new ContainerUnfit('an object is too small');
    const content = slice(bytes, at, size).subarray(OBJECT_START_BYTES);
    objects.push({ type: start.toString('hex', 0, TYPE_BYTES), content });
    at += size;
  }
  return objects;
}

function joined(objects: readonly AsfObject[]): Buffer {
  return Buffer.concat(
    objects.flatMap(({ type, content }) => {
      const size = Buffer.alloc(OBJECT_START_BYTES - TYPE_BYTES);
      size.writeBigUInt64LE(BigInt(OBJECT_START_BYTES + content.length));
      return [Buffer.from(type, 'hex'), size, content];
    }),
  );
}

function slice(bytes: Buffer, at: number, length: number): Buffer {
  if (at + length > bytes.length) throw new ContainerUnfit('an object ends too early');
  return bytes.subarray(at, at + length);
}

/** UTF-16 with a zero at its end. */
function wide(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le');
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
