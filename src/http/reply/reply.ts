/** Sends a handler's reply. */

import type { Reply, ReplyBody } from '../routing/route.js';
import { matchesIfNoneMatch } from './conditional.js';
import { type Outgoing, responseHead } from './outgoing.js';
import { sendPieces } from './pieces.js';
import { sendFile } from './send-file.js';

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Larger bodies are sent in pieces, as fast as the client reads. */
const WHOLE_BYTES_MAX = 64 * 1024;

/** Sends a reply and returns the number of body bytes sent. */
export function sendReply(outgoing: Outgoing, reply: Reply): number | Promise<number> {
  const { body } = reply;
  if (body === undefined) return sendWithoutBody(outgoing, reply);
  switch (body.kind) {
    case 'json':
      return sendWhole(outgoing, reply, jsonText(body), JSON_TYPE);
    case 'text':
      return sendWhole(outgoing, reply, body.text, body.contentType ?? TEXT_TYPE);
    case 'bytes':
      return sendWhole(outgoing, reply, body.bytes, body.contentType);
    case 'file':
      return sendFile(outgoing, reply, body);
    case 'stream':
      return sendStream(outgoing, reply, body);
  }
}

/** Responds to a request that violates HTTP, and closes the connection. */
export function sendRefusal(outgoing: Outgoing, reply: Reply): number {
  const { text, contentType } = refusalText(reply);
  outgoing.exchange.refuse(responseHead(outgoing, reply, contentType), text);
  return Buffer.byteLength(text);
}

/** The body of a refusal: short JSON or text. */
export function refusalText({ body }: Reply): { text: string; contentType: string } {
  if (body?.kind === 'json') return { text: jsonText(body), contentType: JSON_TYPE };
  return { text: body?.kind === 'text' ? body.text : '', contentType: TEXT_TYPE };
}

function sendWithoutBody(outgoing: Outgoing, reply: Reply): number {
  const bodiless = reply.status === 204 || reply.status === 304;
  outgoing.exchange.respondWithoutBody(responseHead(outgoing, reply), bodiless ? undefined : 0);
  return 0;
}

function sendWhole(
  outgoing: Outgoing,
  reply: Reply,
  body: string | Uint8Array,
  contentType: string,
): number | Promise<number> {
  if (isNotModified(outgoing, reply)) return sendWithoutBody(outgoing, { ...reply, status: 304 });
  const head = responseHead(outgoing, reply, contentType);
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (outgoing.isHead) {
    outgoing.exchange.respondWithoutBody(head, bytes);
    return 0;
  }
  if (bytes > WHOLE_BYTES_MAX) {
    outgoing.detach();
    return sendPieces(outgoing.exchange.respondInPieces(head, bytes), [body]);
  }
  outgoing.exchange.respond(head, body);
  return bytes;
}

async function sendStream(
  outgoing: Outgoing,
  reply: Reply,
  body: Extract<ReplyBody, { kind: 'stream' }>,
): Promise<number> {
  outgoing.detach();
  const head = responseHead(outgoing, reply, body.contentType);
  if (outgoing.isHead || body.bytes === 0) {
    body.stream.destroy();
    outgoing.exchange.respondWithoutBody(head, body.bytes);
    return 0;
  }
  outgoing.onDisconnect(() => body.stream.destroy());
  return sendPieces(outgoing.exchange.respondInPieces(head, body.bytes), body.stream);
}

/** Whether to respond with 304: the reply has an ETag and If-None-Match matches it. */
function isNotModified({ exchange }: Outgoing, reply: Reply): boolean {
  const tag = reply.headers?.ETag ?? reply.headers?.etag;
  if (reply.status !== 200 || typeof tag !== 'string') return false;
  const { method, headers } = exchange.head;
  return (method === 'GET' || method === 'HEAD') && matchesIfNoneMatch(headers.get('if-none-match'), tag);
}

function jsonText({ value, indent }: Extract<ReplyBody, { kind: 'json' }>): string {
  // With further arguments, V8 leaves its fast path.
  const text = indent === undefined ? JSON.stringify(value) : JSON.stringify(value, null, indent);
  return text ?? 'null';
}
