/** Sends files: conditional requests, ranges, and little memory, however slowly clients read. */
import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Reply, ReplyBody } from '../routing/route.js';
import type { ResponseStream } from '../transport/transport.js';
import { BufferPool } from './buffer-pool.js';
import { acceptedEncoding, type Encoding, encode, isCompressible, weakTag } from './compression.js';
import { isNotModified, quotedTag } from './conditional.js';
import { contentDisposition } from './disposition.js';
import { RequestRefused, ResponseFailed } from './errors.js';
import { type Outgoing, responseHead } from './outgoing.js';
import { sendPieces } from './pieces.js';
import { type ByteRange, rangeApplies, requestedRange } from './range.js';

type FileBody = Extract<ReplyBody, { kind: 'file' }>;

/** Default of the largest piece. */
const PIECE_BYTES_MAX = 256 * 1024;

const PIECE_BYTES_MIN = 8 * 1024;

/** The first piece, and the largest one if the transport holds pieces: each slow client costs that much memory. */
const PIECE_BYTES_FIRST = 64 * 1024;

/** Bytes read from files and not yet sent, of all responses of the process. */
const POOL_BYTES = 16 * 1024 * 1024;

/** A piece that leaves within this time did not wait for the client. */
const IMMEDIATE_MS = 2;

const pool = new BufferPool(POOL_BYTES, PIECE_BYTES_MIN);

/**
 * Sends a file and returns the number of body bytes. The file is opened once, so deleting or replacing it does not
 * affect a response that has started.
 *
 * @throws {RequestRefused} `not-found` if the file is missing, `precondition-failed`, `range-unsatisfiable`
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
  const original = body.etag ?? fileTag(stats);
  const isNegotiated = body.compress === true && isCompressible(reply, body.contentType, stats.size);
  // Ranges are those of the original.
  const encoding =
    isNegotiated && headers.get('range') === undefined
      ? acceptedEncoding(headers.get('accept-encoding'))
      : undefined;
  const tag = encoding === undefined ? original : weakTag(original);
  const vary = isNegotiated ? ['Vary', 'Accept-Encoding'] : [];
  const common = ['ETag', tag, 'Accept-Ranges', 'bytes', ...vary, ...disposition(body)];
  if (reply.status === 200 && isNotModified(exchange.head, tag)) {
    exchange.respondWithoutBody(
      responseHead(outgoing, { ...reply, status: 304 }, undefined, common),
      undefined,
    );
    return 0;
  }
  if (encoding !== undefined) {
    const encoded = await encodedFile(file, body.path, original, encoding);
    const head = responseHead(outgoing, reply, body.contentType, [...common, 'Content-Encoding', encoding]);
    if (!outgoing.isHead) return sendPieces(exchange.respondInPieces(head, encoded.length), [encoded]);
    exchange.respondWithoutBody(head, encoded.length);
    return 0;
  }
  const { status, range, contentRange } = selection(outgoing, reply, stats.size, tag);
  const head = responseHead(outgoing, { ...reply, status }, body.contentType, [...common, ...contentRange]);
  const length = range.end - range.start;
  if (outgoing.isHead || length === 0) {
    exchange.respondWithoutBody(head, length);
    return 0;
  }
  return sendRange(exchange.respondInPieces(head, length), file, range, body.chunkBytes ?? PIECE_BYTES_MAX);
}

/** Encoded forms of fixed files, by path and encoding. */
const encodedFiles = new Map<string, { readonly tag: string; readonly bytes: Promise<Buffer> }>();

/** The encoded file, computed once per version. */
function encodedFile(file: FileHandle, path: string, tag: string, encoding: Encoding): Promise<Buffer> {
  const key = `${encoding} ${path}`;
  const known = encodedFiles.get(key);
  if (known?.tag === tag) return known.bytes;
  const bytes = file.readFile().then((content) => encode(encoding, content));
  encodedFiles.set(key, { tag, bytes });
  bytes.catch(() => encodedFiles.delete(key));
  return bytes;
}

export interface Selection {
  readonly status: number;
  readonly range: ByteRange;
  readonly contentRange: readonly string[];
}

/** What a request gets of content with a size. @throws {RequestRefused} `range-unsatisfiable` */
export function selection(outgoing: Outgoing, reply: Reply, size: number, tag: string): Selection {
  const whole = { status: reply.status, range: { start: 0, end: size }, contentRange: [] };
  const { headers } = outgoing.exchange.head;
  if (outgoing.isHead || reply.status !== 200 || !rangeApplies(headers.get('if-range'), tag)) return whole;
  const range = requestedRange(headers.get('range'), size);
  if (range === undefined) return whole;
  if (range === 'unsatisfiable') throw new RequestRefused({ kind: 'range-unsatisfiable', size });
  const contentRange = ['Content-Range', `bytes ${range.start}-${range.end - 1}/${size}`];
  return { status: 206, range, contentRange };
}

/**
 * Sends a part of a file and returns its length. Pieces grow while the client reads fast and shrink when it does not;
 * bytes that the socket did not take are read again. If the file was truncated meanwhile, the connection is closed.
 *
 * @throws {ResponseFailed} if reading fails
 */
async function sendRange(
  sink: ResponseStream,
  file: FileHandle,
  { start, end }: ByteRange,
  chunkBytes: number,
): Promise<number> {
  const bytesMax = sink.holdsPieces ? Math.min(chunkBytes, PIECE_BYTES_FIRST) : chunkBytes;
  let position = start;
  let pieceBytes = Math.min(bytesMax, PIECE_BYTES_FIRST);
  try {
    while (position < end) {
      const sent = await sendPiece(sink, file, position, Math.min(pieceBytes, end - position));
      if (sent === undefined) return position - start;
      if (sent.bytes === 0 && !sent.blocked) break;
      position += sent.bytes;
      const next = sent.blocked ? pieceBytes / 2 : pieceBytes * 2;
      pieceBytes = Math.min(bytesMax, Math.max(PIECE_BYTES_MIN, next));
    }
  } catch (error) {
    sink.destroy();
    throw new ResponseFailed(error);
  }
  sink.end();
  return position - start;
}

/** Reads and sends one piece; `undefined` if the client has disconnected. */
async function sendPiece(
  sink: ResponseStream,
  file: FileHandle,
  position: number,
  bytesMax: number,
): Promise<{ readonly bytes: number; readonly blocked: boolean } | undefined> {
  const buffer = await pool.take(bytesMax);
  let isOurs = true;
  const giveBack = () => {
    if (isOurs) pool.giveBack(buffer);
    isOurs = false;
  };
  try {
    const { bytesRead } = await file.read(buffer, 0, Math.min(bytesMax, buffer.length), position);
    if (bytesRead === 0) return { bytes: 0, blocked: false };
    const bytes = sink.offer(buffer.subarray(0, bytesRead));
    if (!sink.holdsPieces) giveBack();
    const startMs = performance.now();
    if (!(await sink.writable())) return undefined;
    return { bytes, blocked: bytes < bytesRead || performance.now() - startMs > IMMEDIATE_MS };
  } finally {
    giveBack();
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

/** The header that names a download. */
export function disposition({ disposition: wanted }: Pick<FileBody, 'disposition'>): string[] {
  return wanted === undefined
    ? []
    : ['Content-Disposition', contentDisposition(wanted.type, wanted.filename)];
}
