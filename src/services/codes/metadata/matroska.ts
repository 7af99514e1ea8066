/**
 * Copies a Matroska or WebM file with other tags. Clusters, and so all frames, are copied byte by byte; positions in
 * the seek head and in the cues are adjusted. Element names are those of RFC 9559.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ContainerUnfit, type FileRange, writeCopy } from './container.js';
import {
  children,
  type Element,
  elementBytes,
  type Header,
  readHeader,
  UNKNOWN_SIZE,
  uintBytes,
  uintOf,
} from './ebml.js';

export interface MatroskaChange {
  /** Names and values of tags of the whole file. */
  readonly written: ReadonlyMap<string, string>;
  /** Upper-case names of tags of the whole file to remove. */
  readonly removed: ReadonlySet<string>;
  /** New title of the segment. */
  readonly title?: string | undefined;
}

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const SEEK_HEAD = 0x114d9b74;
const SEEK = 0x4dbb;
const SEEK_ID = 0x53ab;
const SEEK_POSITION = 0x53ac;
const INFO = 0x1549a966;
const TITLE = 0x7ba9;
const TRACKS = 0x1654ae6b;
const CHAPTERS = 0x1043a770;
const ATTACHMENTS = 0x1941a469;
const CLUSTER = 0x1f43b675;
const CUES = 0x1c53bb6b;
const CUE_TRACK_POSITIONS = 0xb7;
const CUE_CLUSTER_POSITION = 0xf1;
const CUE_CODEC_STATE = 0xea;
const TAGS = 0x1254c367;
const TAG = 0x7373;
const TARGETS = 0x63c0;
const TARGET_TYPE_VALUE = 0x68ca;
/** Targets that are parts of the file: track, edition, chapter, attachment. */
const TARGET_UIDS: ReadonlySet<number> = new Set([0x63c5, 0x63c9, 0x63c4, 0x63c6]);
const SIMPLE_TAG = 0x67c8;
const TAG_NAME = 0x45a3;
const TAG_STRING = 0x4487;
const CRC_32 = 0xbf;
const VOID = 0xec;

/** The whole work: an album, a film. */
const WHOLE_FILE = 50;
const TOP_LEVEL: ReadonlySet<number> = new Set([
  SEEK_HEAD,
  INFO,
  TRACKS,
  CHAPTERS,
  ATTACHMENTS,
  CLUSTER,
  CUES,
  TAGS,
]);
/** In the order of the seek head. */
const SOUGHT = [INFO, TRACKS, TAGS, CHAPTERS, ATTACHMENTS, CUES];
/** Ten hours of video need about 2 MB of cues. */
const ELEMENT_MAX_BYTES = 64 * 1024 ** 2;
const SEGMENT_HEADER_BYTES = 12;

/** A part of the new segment: bytes, or a range of the old file. */
interface Part {
  readonly id: number;
  readonly content?: Buffer;
  readonly range?: readonly [start: number, end: number];
  /** Position in the old segment. */
  readonly from?: number;
}

/**
 * Writes a copy of `path` to `target` with changed tags.
 *
 * @throws {ContainerUnfit} if the structure of the file is not supported
 */
export async function copyWithTags(path: string, target: string, change: MatroskaChange): Promise<void> {
  const handle = await open(path);
  let segment: Segment;
  let parts: Part[];
  try {
    segment = await readSegment(handle);
    parts = await newParts(handle, segment, change);
  } finally {
    await handle.close();
  }
  const head = seekHead(parts, new Map());
  const positions = positionsOf(parts, head.length);
  const bySegment = new Map(
    parts.flatMap(({ from }, index) => (from === undefined ? [] : [[from, positions[index] ?? 0]])),
  );
  const found = new Map(parts.map(({ id }, index) => [id, positions[index] ?? 0]));
  const size = (positions.at(-1) ?? 0) + sizeOf(parts.at(-1));
  const moved = parts.flatMap(({ id, content, range }): (Buffer | FileRange)[] => [
    ...(content ? [id === CUES ? movedCues(content, bySegment) : content] : []),
    ...(range ? [{ from: range[0], to: range[1] }] : []),
  ]);
  await writeCopy(path, target, [
    { from: 0, to: segment.start },
    segmentHeader(segment.isUnknownSize ? undefined : size),
    seekHead(parts, found),
    ...moved,
  ]);
}

interface Segment {
  readonly start: number;
  readonly dataStart: number;
  readonly isUnknownSize: boolean;
  readonly elements: readonly Header[];
}

async function readSegment(handle: FileHandle): Promise<Segment> {
  const { size } = await handle.stat();
  const ebml = await readHeader(handle, 0, size);
  if (ebml.id !== EBML) throw new ContainerUnfit('the file does not begin with an EBML header');
  const segment = await readHeader(handle, ebml.end, size);
  if (segment.id !== SEGMENT) throw new ContainerUnfit('the file has no segment');
  const end = segment.isUnknownSize ? size : segment.end;
  if (end < size) throw new ContainerUnfit('the file has bytes after its segment');
  const elements: Header[] = [];
  for (let at = segment.dataStart; at < end; ) {
    const element = await readHeader(handle, at, end);
    const known = element.isUnknownSize ? { ...element, end: await endOf(handle, element, end) } : element;
    elements.push(known);
    at = known.end;
  }
  const { start, dataStart, isUnknownSize } = segment;
  return { start, dataStart, isUnknownSize, elements };
}

/** An element of unknown size ends before the next one that can't be inside it. */
async function endOf(handle: FileHandle, { id, dataStart }: Header, fileEnd: number): Promise<number> {
  if (id !== CLUSTER) throw new ContainerUnfit('only clusters may have an unknown size');
  for (let at = dataStart; at < fileEnd; ) {
    const inside = await readHeader(handle, at, fileEnd);
    if (TOP_LEVEL.has(inside.id)) return at;
    if (inside.isUnknownSize) throw new ContainerUnfit('an element inside a cluster has an unknown size');
    at = inside.end;
  }
  return fileEnd;
}

async function newParts(handle: FileHandle, segment: Segment, change: MatroskaChange): Promise<Part[]> {
  const { elements, dataStart } = segment;
  const read = (id: number) =>
    Promise.all(elements.filter((element) => element.id === id).map((element) => content(handle, element)));
  const [info] = await read(INFO);
  const cues = await read(CUES);
  if (info === undefined || cues.length > 1)
    throw new ContainerUnfit('the segment has no or too many infos or cues');
  const tags = newTags((await read(TAGS)).flatMap(children), change);
  const parts: Part[] = [
    { id: INFO, content: newInfo(info, change.title) },
    ...(tags.length > 0 ? [{ id: TAGS, content: elementBytes(TAGS, tags) }] : []),
  ];
  for (const element of elements) {
    const { id, start, end } = element;
    if (id === SEEK_HEAD || id === INFO || id === TAGS || id === VOID || id === CRC_32) continue;
    const from = start - dataStart;
    if (id === CUES)
      parts.push({ id, content: movedCues(elementBytes(CUES, cues[0] as Buffer), new Map()), from });
    else parts.push({ id, range: [start, end], from });
  }
  return parts;
}

async function content(handle: FileHandle, { dataStart, end }: Header): Promise<Buffer> {
  if (end - dataStart > ELEMENT_MAX_BYTES) throw new ContainerUnfit('an element is too large');
  const { buffer } = await handle.read(Buffer.alloc(end - dataStart), 0, end - dataStart, dataStart);
  return buffer;
}

function newInfo(old: Buffer, title: string | undefined): Buffer {
  const kept = children(old).filter(({ id }) => id !== CRC_32 && (title === undefined || id !== TITLE));
  const added = title === undefined ? [] : [elementBytes(TITLE, Buffer.from(title))];
  return elementBytes(INFO, Buffer.concat([...kept.map(bytesOf), ...added]));
}

function newTags(old: readonly Element[], { written, removed }: MatroskaChange): Buffer {
  const isRemoved = (tag: Element): boolean => {
    const name = children(tag.content).find(({ id }) => id === TAG_NAME);
    return tag.id === SIMPLE_TAG && removed.has(name?.content.toString().toUpperCase() ?? '');
  };
  const kept = old
    .filter(({ id }) => id === TAG)
    .flatMap(({ content }) => {
      const parts = children(content);
      if (isOfPart(parts)) return [elementBytes(TAG, content)];
      const left = parts.filter((part) => !isRemoved(part));
      const isEmpty = left.every(({ id }) => id === TARGETS);
      return isEmpty ? [] : [elementBytes(TAG, Buffer.concat(left.map(bytesOf)))];
    });
  const simple = [...written].map(([name, value]) =>
    elementBytes(
      SIMPLE_TAG,
      Buffer.concat([
        elementBytes(TAG_NAME, Buffer.from(name)),
        elementBytes(TAG_STRING, Buffer.from(value)),
      ]),
    ),
  );
  const targets = elementBytes(TARGETS, elementBytes(TARGET_TYPE_VALUE, Buffer.from([WHOLE_FILE])));
  const own = simple.length > 0 ? [elementBytes(TAG, Buffer.concat([targets, ...simple]))] : [];
  return Buffer.concat([...own, ...kept]);
}

/** Whether a tag is of a track, an edition, a chapter or an attachment. */
function isOfPart(parts: readonly Element[]): boolean {
  const targets = parts.find(({ id }) => id === TARGETS);
  const all = targets ? children(targets.content) : [];
  return all.some(({ id, content }) => TARGET_UIDS.has(id) && uintOf(content) !== 0);
}

function bytesOf({ id, content }: Element): Buffer {
  return elementBytes(id, content);
}

/** The cues with positions of clusters from `moved`. Positions have eight bytes, so the size does not depend on them. */
function movedCues(cues: Buffer, moved: ReadonlyMap<number, number>): Buffer {
  const points = children(children(cues)[0]?.content ?? Buffer.alloc(0))
    .filter(({ id }) => id !== CRC_32)
    .map(({ id, content: point }) => {
      const fields = children(point).map((field) =>
        field.id === CUE_TRACK_POSITIONS
          ? elementBytes(
              field.id,
              Buffer.concat(children(field.content).map((one) => movedPosition(one, moved))),
            )
          : bytesOf(field),
      );
      return elementBytes(id, Buffer.concat(fields));
    });
  return elementBytes(CUES, Buffer.concat(points));
}

function movedPosition(element: Element, moved: ReadonlyMap<number, number>): Buffer {
  const { id, content } = element;
  if (id !== CUE_CLUSTER_POSITION && id !== CUE_CODEC_STATE) return bytesOf(element);
  const position = uintOf(content);
  // Before the new positions are known, and for positions outside of the top level, the old one is kept.
  return elementBytes(id, uintBytes(moved.get(position) ?? position));
}

function seekHead(parts: readonly Part[], positions: ReadonlyMap<number, number>): Buffer {
  const entries = SOUGHT.filter((id) => parts.some((part) => part.id === id)).map((id) => {
    const name = Buffer.alloc(4);
    name.writeUInt32BE(id);
    const position = uintBytes(positions.get(id) ?? 0);
    return elementBytes(
      SEEK,
      Buffer.concat([elementBytes(SEEK_ID, name), elementBytes(SEEK_POSITION, position)]),
    );
  });
  return elementBytes(SEEK_HEAD, Buffer.concat(entries));
}

/** Position of each part in the new segment. */
function positionsOf(parts: readonly Part[], start: number): number[] {
  let at = start;
  return parts.map((part) => {
    const position = at;
    at += sizeOf(part);
    return position;
  });
}

function sizeOf({ content, range = [0, 0] }: Part = { id: VOID }): number {
  return content ? content.length : range[1] - range[0];
}

function segmentHeader(bytes: number | undefined): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  header.writeUInt32BE(SEGMENT);
  header.writeBigUInt64BE(bytes === undefined ? UNKNOWN_SIZE : (1n << 56n) | BigInt(bytes), 4);
  return header;
}
