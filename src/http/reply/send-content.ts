/** Sends content of another machine: conditional requests and ranges, passed on while it arrives. */
import type { Readable } from 'node:stream';
import type { Reply, ReplyBody } from '../routing/route.js';
import { isNotModified } from './conditional.js';
import { type Outgoing, responseHead } from './outgoing.js';
import { sendPieces } from './pieces.js';
import { disposition, selection } from './send-file.js';

type ContentBody = Extract<ReplyBody, { kind: 'content' }>;

/**
 * Sends content and returns the number of body bytes.
 *
 * @throws {RequestRefused} `precondition-failed`, `range-unsatisfiable`
 * @throws the error of `read`, before the response starts
 */
export async function sendContent(outgoing: Outgoing, reply: Reply, body: ContentBody): Promise<number> {
  outgoing.detach();
  const { exchange } = outgoing;
  const common = ['ETag', body.etag, 'Accept-Ranges', 'bytes', ...disposition(body)];
  if (reply.status === 200 && isNotModified(exchange.head, body.etag)) {
    const head = responseHead(outgoing, { ...reply, status: 304 }, undefined, common);
    exchange.respondWithoutBody(head, undefined);
    return 0;
  }
  const { status, range, contentRange } = selection(outgoing, reply, body.bytes, body.etag);
  const head = responseHead(outgoing, { ...reply, status }, body.contentType, [...common, ...contentRange]);
  const length = range.end - range.start;
  if (outgoing.isHead || length === 0) {
    exchange.respondWithoutBody(head, length);
    return 0;
  }
  const stream = await body.read(range);
  return sendPieces(exchange.respondInPieces(head, length), untilDisconnect(outgoing, stream));
}

/** The pieces of a stream. Ends without an error when the client disconnects. */
export async function* untilDisconnect(outgoing: Outgoing, stream: Readable): AsyncGenerator<Uint8Array> {
  let isGone = false;
  outgoing.onDisconnect(() => {
    isGone = true;
    stream.destroy();
  });
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!isGone) throw error;
  }
}
