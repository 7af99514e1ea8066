/** Sends files: conditional requests, ranges, and at most one piece in memory. */
import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Reply, ReplyBody } from '../routing/route.js';
import { matchesIfNoneMatch, quotedTag } from './conditional.js';
import { contentDisposition } from './disposition.js';
import { RequestRefused } from './errors.js';
import { type Outgoing, responseHead } from './outgoing.js';
import { sendPieces } from './pieces.js';
import { type ByteRange, rangeApplies, requestedRange } from './range.js';

type FileBody = Extract<ReplyBody, { kind: 'file' }>;

const PIECE_BYTES = 256 * 1024;

/**
 * Sends a file and returns the number of body bytes. The file is opened once, so deleting or replacing it does not
 * affect a response that has started.
 *
 * @throws {RequestRefused} `not-found` if the file is missing, `range-unsatisfiable`
 */
export async function sendFile(outgoing: Outgoing, reply: Reply, body: FileBody): Promise<number> {
  outgoing.detach();
  const file = await openForReading(body.path, outgoing.exchange.head.path);
  try {
    return await sendOpenFile(outgoing, reply, body, file);
  } finally {
    await file.close();
  }
}

async function sendOpenFile(
  outgoing: Outgoing,
  reply: Reply,
  body: FileBody,
  file: FileHandle,
): Promise<number> {
  const { exchange } = outgoing;
  const { headers } = exchange.head;
  const stats = await file.stat();
  const tag = body.etag ?? fileTag(stats);
  const common = ['ETag', tag, 'Accept-Ranges', 'bytes', ...disposition(body)];
  if (reply.status === 200 && matchesIfNoneMatch(headers.get('if-none-match'), tag)) {
    exchange.respondWithoutBody(
      responseHead(outgoing, { ...reply, status: 304 }, undefined, common),
      undefined,
    );
    return 0;
  }
  const { status, range, contentRange } = selection(outgoing, reply, stats.size, tag);
  const head = responseHead(outgoing, { ...reply, status }, body.contentType, [...common, ...contentRange]);
  const length = range.end - range.start;
  if (outgoing.isHead || length === 0) {
    exchange.respondWithoutBody(head, length);
    return 0;
  }
  const pieces = readPieces(file, range, body.chunkBytes ?? PIECE_BYTES);
  return sendPieces(exchange.respondInPieces(head, length), pieces);
}

interface Selection {
  readonly status: number;
  readonly range: ByteRange;
  readonly contentRange: readonly string[];
}

function selection(outgoing: Outgoing, reply: Reply, size: number, tag: string): Selection {
  const whole = { status: reply.status, range: { start: 0, end: size }, contentRange: [] };
  const { headers } = outgoing.exchange.head;
  if (outgoing.isHead || reply.status !== 200 || !rangeApplies(headers.get('if-range'), tag)) return whole;
  const range = requestedRange(headers.get('range'), size);
  if (range === undefined) return whole;
  if (range === 'unsatisfiable') throw new RequestRefused({ kind: 'range-unsatisfiable', size });
  const contentRange = ['Content-Range', `bytes ${range.start}-${range.end - 1}/${size}`];
  return { status: 206, range, contentRange };
}

/** Ends early if the file was truncated meanwhile; the transport then closes the connection. */
async function* readPieces(
  file: FileHandle,
  range: ByteRange,
  pieceBytes: number,
): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(Math.min(pieceBytes, range.end - range.start));
  let position = range.start;
  while (position < range.end) {
    const wanted = Math.min(memory.length, range.end - position);
    const { bytesRead } = await file.read(memory, 0, wanted, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield memory.subarray(0, bytesRead);
  }
}

async function openForReading(path: string, requestPath: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new RequestRefused({ kind: 'not-found', path: requestPath });
    throw error;
  }
}

function fileTag({ size, mtimeMs, ino }: Stats): string {
  return quotedTag(`${ino.toString(36)}-${size.toString(36)}-${Math.round(mtimeMs * 1000).toString(36)}`);
}

function disposition({ disposition: wanted }: FileBody): string[] {
  return wanted === undefined
    ? []
    : ['Content-Disposition', contentDisposition(wanted.type, wanted.filename)];
}
