/**
 * Copies an Ogg file (RFC 3533) with other comments. Data pages keep their packets and time stamps; only their numbers
 * change if the comments need more or fewer pages. FFmpeg would drop the empty packets that repeat a Theora frame.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ContainerUnfit } from './container.js';
import { commentKind, type StreamKind, withComments } from './ogg-comments.js';
import type { CommentChange } from './vorbis-comments.js';

const PAGE_START = 'OggS\0';
const PAGE_HEADER_BYTES = 27;
const FLAGS_AT = 5;
const GRANULE_AT = 6;
const SERIAL_AT = 14;
const NUMBER_AT = 18;
const CHECKSUM_AT = 22;
const SEGMENTS_AT = 26;
const SEGMENTS_MAX = 255;
const SEGMENT_MAX_BYTES = 255;
const CONTINUED = 1;
const FIRST = 2;
const LAST = 4;
/** The position of pages on which no packet ends. */
const NO_POSITION = -1n;
const READ_BYTES = 1024 ** 2;
/** Comments may hold pictures. */
const COMMENTS_MAX_BYTES = 64 * 1024 ** 2;

/** The headers of a stream after its first page, until they are complete, and then the shift of its page numbers. */
interface Stream {
  readonly kind: StreamKind;
  pages: Buffer[] | undefined;
  bytes: number;
  shift: number;
}

/**
 * Writes a copy of `path` to `target` with changed comments in each stream that has comments.
 *
 * @throws {ContainerUnfit} if the structure of the file is not supported
 */
export async function copyWithOggComments(
  path: string,
  target: string,
  change: CommentChange,
): Promise<void> {
  const streams = new Map<number, Stream>();
  let hasComments = false;
  await pipeline(async function* () {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      const written: Buffer[] = [];
      for (let part = firstPart(rest); part !== undefined; part = firstPart(rest)) {
        rest = rest.subarray(part.bytes.length);
        if (part.isPage) {
          written.push(...changedPages(part.bytes, streams, change));
          hasComments ||= streams.size > 0;
        } else if (hasComments && !isReadingHeaders(streams)) written.push(part.bytes);
        else throw new ContainerUnfit('the file has bytes between its headers');
      }
      yield Buffer.concat(written);
    }
    if (!hasComments || isReadingHeaders(streams))
      throw new ContainerUnfit('the file has no complete comments');
    yield rest;
  }, createWriteStream(target));
}

interface Part {
  readonly bytes: Buffer;
  readonly isPage: boolean;
}

/** The first page, or what is before it: the rest of a damaged page. `undefined` if the page is not complete. */
function firstPart(bytes: Buffer): Part | undefined {
  if (bytes.length < PAGE_HEADER_BYTES) return undefined;
  const next = bytes.indexOf(PAGE_START);
  if (next !== 0) {
    const end = next < 0 ? bytes.length - PAGE_HEADER_BYTES + 1 : next;
    return { bytes: bytes.subarray(0, end), isPage: false };
  }
  const dataAt = PAGE_HEADER_BYTES + (bytes[SEGMENTS_AT] ?? 0);
  if (bytes.length < dataAt) return undefined;
  const end = bytes.subarray(PAGE_HEADER_BYTES, dataAt).reduce((sum, segment) => sum + segment, dataAt);
  return bytes.length < end ? undefined : { bytes: bytes.subarray(0, end), isPage: true };
}

/** What the copy holds in place of this page: nothing while headers are incomplete. */
function changedPages(page: Buffer, streams: Map<number, Stream>, change: CommentChange): readonly Buffer[] {
  const serial = page.readUInt32LE(SERIAL_AT);
  if (flagsOf(page) & FIRST) {
    // A chained file may use a number again.
    streams.delete(serial);
    const kind = commentKind(dataOf(page));
    if (kind !== undefined) streams.set(serial, { kind, pages: [], bytes: 0, shift: 0 });
    return [page];
  }
  const stream = streams.get(serial);
  if (stream?.pages !== undefined) return changedHeaders(page, stream, stream.pages, change);
  if (isReadingHeaders(streams) && page.readBigInt64LE(GRANULE_AT) > 0n)
    throw new ContainerUnfit('data comes before the end of the headers');
  // A damaged page stays damaged, so that readers skip it in the copy, too.
  if (stream === undefined || stream.shift === 0 || !isIntact(page)) return [page];
  const copy = Buffer.from(page);
  copy.writeUInt32LE((page.readUInt32LE(NUMBER_AT) + stream.shift) >>> 0, NUMBER_AT);
  return [withChecksum(copy)];
}

function changedHeaders(
  page: Buffer,
  stream: Stream,
  pages: Buffer[],
  change: CommentChange,
): readonly Buffer[] {
  if (page.readBigInt64LE(GRANULE_AT) > 0n || flagsOf(page) & LAST)
    throw new ContainerUnfit('a page has both headers and data');
  pages.push(page);
  stream.bytes += page.length;
  if (stream.bytes > COMMENTS_MAX_BYTES) throw new ContainerUnfit('the comments are too large');
  const lastSegment = segmentsOf(page).at(-1);
  if (lastSegment === undefined || lastSegment === SEGMENT_MAX_BYTES) return [];
  const [comments = Buffer.alloc(0), ...others] = packetsOf(pages);
  const packets = [withComments(stream.kind, comments, change), ...others];
  const written = pagesOf(packets, page.readUInt32LE(SERIAL_AT), pages[0]?.readUInt32LE(NUMBER_AT) ?? 1);
  stream.shift = written.length - pages.length;
  stream.pages = undefined;
  return written;
}

function isReadingHeaders(streams: ReadonlyMap<number, Stream>): boolean {
  return [...streams.values()].some(({ pages }) => pages !== undefined);
}

function flagsOf(page: Buffer): number {
  return page[FLAGS_AT] ?? 0;
}

function segmentsOf(page: Buffer): Buffer {
  return page.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + (page[SEGMENTS_AT] ?? 0));
}

function dataOf(page: Buffer): Buffer {
  return page.subarray(PAGE_HEADER_BYTES + (page[SEGMENTS_AT] ?? 0));
}

/** The packets of pages that end with the end of a packet. */
function packetsOf(pages: readonly Buffer[]): Buffer[] {
  const data = Buffer.concat(pages.map(dataOf));
  const packets: Buffer[] = [];
  let start = 0;
  let end = 0;
  for (const segment of Buffer.concat(pages.map(segmentsOf))) {
    end += segment;
    if (segment === SEGMENT_MAX_BYTES) continue;
    packets.push(data.subarray(start, end));
    start = end;
  }
  return packets;
}

/** Pages of one stream that hold these headers. */
function pagesOf(packets: readonly Buffer[], serial: number, firstNumber: number): Buffer[] {
  const segments = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / SEGMENT_MAX_BYTES)).fill(SEGMENT_MAX_BYTES),
    length % SEGMENT_MAX_BYTES,
  ]);
  const data = Buffer.concat(packets);
  const pages: Buffer[] = [];
  let dataAt = 0;
  for (let at = 0; at < segments.length; at += SEGMENTS_MAX) {
    const table = segments.slice(at, at + SEGMENTS_MAX);
    const dataEnd = table.reduce((sum, segment) => sum + segment, dataAt);
    const header = Buffer.alloc(PAGE_HEADER_BYTES);
    header.write('OggS');
    header[FLAGS_AT] = at > 0 && segments[at - 1] === SEGMENT_MAX_BYTES ? CONTINUED : 0;
    const isPacketEnd = table.some((segment) => segment < SEGMENT_MAX_BYTES);
    header.writeBigInt64LE(isPacketEnd ? 0n : NO_POSITION, GRANULE_AT);
    header.writeUInt32LE(serial, SERIAL_AT);
    header.writeUInt32LE(firstNumber + pages.length, NUMBER_AT);
    header[SEGMENTS_AT] = table.length;
    pages.push(withChecksum(Buffer.concat([header, Buffer.from(table), data.subarray(dataAt, dataEnd)])));
    dataAt = dataEnd;
  }
  return pages;
}

function isIntact(page: Buffer): boolean {
  return withChecksum(Buffer.from(page)).equals(page);
}

/** Writes the checksum into the page itself. */
function withChecksum(page: Buffer): Buffer {
  page.writeUInt32LE(0, CHECKSUM_AT);
  let sum = 0;
  for (const byte of page) sum = (sum << 8) ^ (CHECKSUMS[(sum >>> 24) ^ byte] ?? 0);
  page.writeUInt32LE(sum >>> 0, CHECKSUM_AT);
  return page;
}

const POLYNOMIAL = 0x04c11db7;
const CHECKSUMS = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ POLYNOMIAL : sum << 1;
  return sum;
});
