/**
 * Metadata of RIFF files (AVI, WAV): the list of INFO and an XMP packet. They are appended, so no frame and no index
 * moves. FFmpeg reads INFO only from the first RIFF chunk of a large AVI file, so it goes there if padding has room.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { native } from '../../../native.js';
import { FileError } from '../tools/file-error.js';
import type { PlaceValue } from './places.js';

export interface RiffChange {
  /** XMP properties. */
  readonly xmp?: readonly PlaceValue[];
  /** Entries of INFO. */
  readonly info?: readonly PlaceValue[];
  /** The packet to change if the file has none. */
  readonly packet?: Buffer | undefined;
}

interface Chunk {
  readonly id: string;
  readonly start: number;
  readonly bytes: number;
  /** First four bytes of the content: the kind of a list. */
  readonly kind: string;
}

interface Riff {
  /** Start and end of the last RIFF chunk; large AVI files have several. */
  readonly start: number;
  readonly end: number;
  /** End of the first RIFF chunk. */
  readonly firstEnd: number;
  /** Chunks of all RIFF chunks. */
  readonly chunks: readonly Chunk[];
}

const HEADER_BYTES = 8;
const RIFF_HEADER_BYTES = 12;
const METADATA_MAX_BYTES = 16 * 1024 ** 2;
const RIFF_MAX_BYTES = 0xffff_ffff;
const CHUNKS_MAX = 100_000;
const XMP_ID = '_PMX';

/**
 * Removes the XMP packet of a WAV file if it is the last chunk, and returns it, so that other writers append before it.
 * `undefined` if it is missing or elsewhere.
 */
export async function takeRiffXmp(path: string): Promise<Buffer | undefined> {
  const handle = await open(path, 'r+');
  try {
    const riff = await readRiff(handle);
    const chunk = riff?.chunks.at(-1);
    const { size } = await handle.stat();
    if (riff === undefined || chunk === undefined || !isXmp(chunk) || riff.end < size) return undefined;
    const packet = await contentOf(handle, chunk);
    if (packet === undefined) return undefined;
    await handle.truncate(chunk.start);
    await writeSize(handle, riff.start, chunk.start - riff.start - HEADER_BYTES);
    return packet;
  } finally {
    await handle.close();
  }
}

/** Writes into the file itself. Other entries and properties are kept. Files of another structure are not changed. */
export async function embedIntoRiff(
  path: string,
  { xmp = [], info = [], packet }: RiffChange,
): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    const riff = await readRiff(handle);
    if (riff === undefined) return;
    const oldInfo = riff.chunks.find(isInfo);
    const oldXmp = riff.chunks.find(isXmp);
    const before = {
      info: oldInfo && (await contentOf(handle, oldInfo)),
      xmp: oldXmp && (await contentOf(handle, oldXmp)),
    };
    const added = [
      ...(info.length > 0 ? [{ old: oldInfo, content: infoWith(before.info, info), id: 'LIST' }] : []),
      ...(xmp.length > 0
        ? [{ old: oldXmp, content: native.writeXmp(before.xmp ?? packet, [...xmp]), id: XMP_ID }]
        : []),
    ];
    const changed = added.filter(({ id, content }) => {
      const old = id === XMP_ID ? before.xmp : before.info;
      return old === undefined || !old.equals(content);
    });
    for (const { old } of changed) if (old) await disable(handle, old);
    const appended = [];
    for (const chunk of changed) {
      const isPlaced = chunk.id !== XMP_ID && (await writeIntoPadding(handle, riff, chunk));
      if (!isPlaced) appended.push(chunk);
    }
    await append(handle, riff, appended);
  } finally {
    await handle.close();
  }
}

/** The XMP packet of a RIFF file. */
export async function riffXmp(path: string): Promise<Buffer | undefined> {
  const handle = await open(path);
  try {
    const chunk = (await readRiff(handle))?.chunks.find(isXmp);
    return chunk && (await contentOf(handle, chunk));
  } finally {
    await handle.close();
  }
}

function isInfo({ id, kind }: Chunk): boolean {
  return id === 'LIST' && kind === 'INFO';
}

function isXmp({ id }: Chunk): boolean {
  return id === XMP_ID;
}

async function readRiff(handle: FileHandle): Promise<Riff | undefined> {
  const { size } = await handle.stat();
  const chunks: Chunk[] = [];
  let last: { start: number; end: number; firstEnd: number } | undefined;
  for (let at = 0; size - at >= RIFF_HEADER_BYTES; ) {
    const header = await readBytes(handle, at, RIFF_HEADER_BYTES);
    if (header.toString('latin1', 0, 4) !== 'RIFF') break;
    const end = Math.min(at + HEADER_BYTES + header.readUInt32LE(4), size);
    last = { start: at, end, firstEnd: last?.firstEnd ?? end };
    for (let inside = at + RIFF_HEADER_BYTES; end - inside >= HEADER_BYTES; ) {
      if (chunks.length === CHUNKS_MAX) return undefined;
      const head = await readBytes(handle, inside, Math.min(RIFF_HEADER_BYTES, end - inside));
      const bytes = head.readUInt32LE(4);
      if (inside + HEADER_BYTES + bytes > end) break;
      const kind = head.toString('latin1', HEADER_BYTES);
      chunks.push({ id: head.toString('latin1', 0, 4), start: inside, bytes, kind });
      inside += HEADER_BYTES + bytes + (bytes % 2);
    }
    at = end + (end % 2);
  }
  return last && { ...last, chunks };
}

async function contentOf(handle: FileHandle, { start, bytes }: Chunk): Promise<Buffer | undefined> {
  if (bytes > METADATA_MAX_BYTES) return undefined;
  return readBytes(handle, start + HEADER_BYTES, bytes);
}

/** The content of a list of INFO with new entries; entries with the same names are removed. */
function infoWith(old: Buffer | undefined, entries: readonly PlaceValue[]): Buffer {
  const kept: Buffer[] = [];
  for (let at = 4; old !== undefined && old.length - at >= HEADER_BYTES; ) {
    const bytes = old.readUInt32LE(at + 4);
    const end = Math.min(at + HEADER_BYTES + bytes + (bytes % 2), old.length);
    const id = old.toString('latin1', at, at + 4);
    if (!entries.some(([name]) => name === id)) kept.push(old.subarray(at, end));
    at = end;
  }
  const added = entries.map(([name, value]) => chunkBytes(name, Buffer.from(`${value}\0`)));
  return Buffer.concat([Buffer.from('INFO'), ...kept, ...added]);
}

/** Readers skip chunks of this name. */
const PADDING_ID = 'JUNK';

async function disable(handle: FileHandle, { start }: Chunk): Promise<void> {
  await handle.write(Buffer.from(PADDING_ID), 0, 4, start);
}

interface NewChunk {
  readonly id: string;
  readonly content: Buffer;
  /** The chunk that it replaces, which has become padding. */
  readonly old?: Chunk | undefined;
}

/** Writes a chunk over padding in the first of several RIFF chunks. Resolves to false if there is no room. */
async function writeIntoPadding(
  handle: FileHandle,
  { chunks, firstEnd, end }: Riff,
  { id, content, old }: NewChunk,
): Promise<boolean> {
  if (firstEnd === end) return false;
  const bytes = chunkBytes(id, content);
  const first = chunks.filter(({ start }) => start < firstEnd);
  const runs = paddingRuns(first, (chunk) => chunk.id === PADDING_ID || chunk === old);
  const run = runs.find(
    ({ start, size }) =>
      start + size <= firstEnd && (size === bytes.length || size >= bytes.length + HEADER_BYTES),
  );
  if (run === undefined) return false;
  const rest = run.size - bytes.length;
  const written = rest > 0 ? Buffer.concat([bytes, headerOf(PADDING_ID, rest - HEADER_BYTES)]) : bytes;
  await handle.write(written, 0, written.length, run.start);
  return true;
}

/** Where neighbouring chunks of padding are, and how long they are together, in order. */
function paddingRuns(
  chunks: readonly Chunk[],
  isPadding: (chunk: Chunk) => boolean,
): readonly { readonly start: number; readonly size: number }[] {
  const runs: { start: number; size: number }[] = [];
  for (const chunk of chunks.filter(isPadding)) {
    const size = HEADER_BYTES + chunk.bytes + (chunk.bytes % 2);
    const last = runs.at(-1);
    const follows = last !== undefined && last.start + last.size === chunk.start;
    if (follows) last.size += size;
    else runs.push({ start: chunk.start, size });
  }
  return runs;
}

/** Appends chunks to the last RIFF chunk. Chunks at its end that were disabled before are overwritten. */
async function append(handle: FileHandle, riff: Riff, chunks: readonly NewChunk[]): Promise<void> {
  if (chunks.length === 0) return;
  const bytes = Buffer.concat(chunks.map(({ id, content }) => chunkBytes(id, content)));
  const { size } = await handle.stat();
  // Some files have bytes after the last chunk; a following RIFF chunk would be one.
  const at = riff.end + (riff.end % 2);
  if (at < size) throw new FileError('FILE_DAMAGED', 'the RIFF file has bytes after its end');
  const length = at + bytes.length - riff.start - HEADER_BYTES;
  if (length > RIFF_MAX_BYTES) throw new FileError('FILE_TOO_LARGE', 'the RIFF file would exceed 4 GiB');
  const tail = at > riff.end ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
  await handle.write(tail, 0, tail.length, riff.end);
  await writeSize(handle, riff.start, length);
}

async function writeSize(handle: FileHandle, start: number, bytes: number): Promise<void> {
  const field = Buffer.alloc(4);
  field.writeUInt32LE(bytes);
  await handle.write(field, 0, 4, start + 4);
}

function chunkBytes(id: string, content: Buffer): Buffer {
  return Buffer.concat([headerOf(id, content.length), content, Buffer.alloc(content.length % 2)]);
}

function headerOf(id: string, bytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(id, 'latin1');
  header.writeUInt32LE(bytes, 4);
  return header;
}

async function readBytes(handle: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}
