/**
 * Copies an MP4, QuickTime or 3GP file with a different movie header. Samples are copied byte by byte; the chunk
 * offset tables are adjusted to their new positions.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ContainerUnfit, readBytes, writeCopy } from '../../metadata/container.js';

/** A box (atom). `type` is Latin-1, one character per byte. */
export interface Box {
  readonly type: string;
  readonly content: Buffer;
}

const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;
/** Special sizes: the box extends to the end of the file, or a 64-bit size follows the type. */
const TO_THE_END = 0;
const LARGE = 1;
/** Ten hours of video need about 20 MB. */
const MOVIE_HEADER_MAX_BYTES = 128 * 1024 ** 2;

/**
 * Writes a copy of `path` to `target` with the movie header boxes that `change` returns.
 *
 * @throws {ContainerUnfit} if the file is fragmented or not in one of these formats
 */
export async function copyWithMovie(
  path: string,
  target: string,
  change: (boxes: readonly Box[]) => readonly Box[],
): Promise<void> {
  const handle = await open(path);
  let before: number;
  let after: number;
  let movie: Buffer;
  try {
    const { start, end, boxes } = await readMovie(handle);
    [before, after] = [start, end];
    movie = boxBytes('moov', joined(change(boxes)));
  } finally {
    await handle.close();
  }
  moveChunks(boxesOf(movie.subarray(HEADER_BYTES)), after, before + movie.length - after);
  await writeCopy(path, target, [{ from: 0, to: before }, movie, { from: after }]);
}

/** Splits `bytes` into boxes. Up to seven bytes after the last box are ignored. */
export function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  let at = 0;
  while (bytes.length - at >= HEADER_BYTES) {
    const size = bytes.readUInt32BE(at) || bytes.length - at;
    if (size < HEADER_BYTES || size > bytes.length - at)
      throw new ContainerUnfit('a box ends outside its parent');
    const type = bytes.toString('latin1', at + 4, at + HEADER_BYTES);
    boxes.push({ type, content: bytes.subarray(at + HEADER_BYTES, at + size) });
    at += size;
  }
  return boxes;
}

export function boxBytes(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(HEADER_BYTES + content.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}

export function joined(boxes: readonly Box[]): Buffer {
  return Buffer.concat(boxes.map(({ type, content }) => boxBytes(type, content)));
}

/** Whether the file has samples in fragments. */
export async function isFragmented(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    for (let at = 0; at < size; ) {
      const header = await readHeader(handle, at, size);
      if (header.type === 'moof') return true;
      at = header.end;
    }
    return false;
  } catch (error) {
    if (error instanceof ContainerUnfit) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

interface Movie {
  readonly start: number;
  readonly end: number;
  readonly boxes: readonly Box[];
}

async function readMovie(handle: FileHandle): Promise<Movie> {
  const { size } = await handle.stat();
  let movie: { start: number; contentStart: number; end: number } | undefined;
  for (let at = 0; at < size; ) {
    const header = await readHeader(handle, at, size);
    // Items have offset tables of another kind.
    if (header.type === 'meta') throw new ContainerUnfit('the file has items');
    if (header.type === 'moof') throw new ContainerUnfit('the file is fragmented');
    if (header.type === 'moov') {
      if (movie) throw new ContainerUnfit('the file has two movie headers');
      movie = { start: at, ...header };
    }
    at = header.end;
  }
  if (!movie) throw new ContainerUnfit('the file has no movie header');
  const { start, contentStart, end } = movie;
  if (end - contentStart > MOVIE_HEADER_MAX_BYTES) throw new ContainerUnfit('the movie header is too large');
  const boxes = boxesOf(await readBytes(handle, contentStart, end - contentStart));
  if (boxes.some(({ type }) => type === 'mvex' || type === 'cmov')) {
    throw new ContainerUnfit('the movie header is compressed or has fragments');
  }
  return { start, end, boxes };
}

async function readHeader(handle: FileHandle, at: number, fileSize: number) {
  const left = fileSize - at;
  if (left < HEADER_BYTES) throw new ContainerUnfit('the file ends inside a box');
  const header = await readBytes(handle, at, Math.min(LARGE_HEADER_BYTES, left));
  const type = header.toString('latin1', 4, HEADER_BYTES);
  const short = header.readUInt32BE();
  const isLarge = short === LARGE && left >= LARGE_HEADER_BYTES;
  const bytes = isLarge ? Number(header.readBigUInt64BE(HEADER_BYTES)) : short === TO_THE_END ? left : short;
  const headerBytes = isLarge ? LARGE_HEADER_BYTES : HEADER_BYTES;
  if (bytes < headerBytes || bytes > left) throw new ContainerUnfit('a box ends outside the file');
  return { type, contentStart: at + headerBytes, end: at + bytes };
}

/** Boxes that contain chunk offset tables. */
const CHUNK_PARENTS: ReadonlySet<string> = new Set(['trak', 'mdia', 'minf', 'stbl']);
/** Version and flags, number of entries; then the entries. */
const TABLE_HEADER_BYTES = 8;
const OFFSET_MAX = 0xffff_ffff;

/** Adds `by` to every chunk offset at or after `from`, in place. */
function moveChunks(boxes: readonly Box[], from: number, by: number): void {
  if (by === 0) return;
  for (const { type, content } of boxes) {
    if (CHUNK_PARENTS.has(type)) moveChunks(boxesOf(content), from, by);
    else if (type === 'stco' || type === 'co64') moveTable(content, type === 'co64', from, by);
    else if (type === 'saio') throw new ContainerUnfit('offsets outside the chunk tables are not supported');
  }
}

function moveTable(table: Buffer, wide: boolean, from: number, by: number): void {
  const width = wide ? 8 : 4;
  const count = table.length < TABLE_HEADER_BYTES ? 0 : table.readUInt32BE(4);
  const end = TABLE_HEADER_BYTES + count * width;
  if (end > table.length) throw new ContainerUnfit('a chunk table is truncated');
  for (let at = TABLE_HEADER_BYTES; at < end; at += width) {
    const offset = wide ? Number(table.readBigUInt64BE(at)) : table.readUInt32BE(at);
    if (offset < from) continue;
    if (wide) table.writeBigUInt64BE(BigInt(offset + by), at);
    else if (offset + by > OFFSET_MAX) throw new ContainerUnfit('an offset exceeds 32 bits');
    else table.writeUInt32BE(offset + by, at);
  }
}
