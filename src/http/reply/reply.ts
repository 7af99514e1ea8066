/** Sends a handler's reply. */
import type { Reply, ReplyBody } from '../routing/route.js';
import type { ResponseHead } from '../transport/transport.js';
import {
  acceptedEncoding,
  type Encoding,
  encode,
  encodingHeaders,
  isCompressible,
  weakTag,
} from './compression.js';
import { isNotModified } from './conditional.js';
import { type Outgoing, responseHead } from './outgoing.js';
import { sendPieces } from './pieces.js';
import { sendContent, untilDisconnect } from './send-content.js';
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
    case 'content':
      return sendContent(outgoing, reply, body);
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

function sendWithoutBody(outgoing: Outgoing, reply: Reply, more?: readonly string[]): number {
  const bodiless = reply.status === 204 || reply.status === 304;
  const head = responseHead(outgoing, reply, undefined, more);
  outgoing.exchange.respondWithoutBody(head, bodiless ? undefined : 0);
  return 0;
}

function sendWhole(
  outgoing: Outgoing,
  reply: Reply,
  body: string | Uint8Array,
  contentType: string,
): number | Promise<number> {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (isCompressible(reply, contentType, bytes)) {
    return sendNegotiated(outgoing, reply, body, bytes, contentType);
  }
  if (isKnown(outgoing, reply)) return sendWithoutBody(outgoing, { ...reply, status: 304 });
  return sendBytes(outgoing, responseHead(outgoing, reply, contentType), body, bytes);
}

/** Sends a body whose form depends on Accept-Encoding. */
function sendNegotiated(
  outgoing: Outgoing,
  reply: Reply,
  body: string | Uint8Array,
  bytes: number,
  contentType: string,
): number | Promise<number> {
  const encoding = acceptedEncoding(outgoing.exchange.head.headers.get('accept-encoding'));
  const variant = encoding === undefined ? reply : withWeakTag(reply);
  const headers = encodingHeaders(encoding);
  if (isKnown(outgoing, variant)) {
    return sendWithoutBody(outgoing, { ...variant, status: 304 }, ['Vary', 'Accept-Encoding']);
  }
  const head = responseHead(outgoing, variant, contentType, headers);
  if (encoding === undefined) return sendBytes(outgoing, head, body, bytes);
  return sendEncoded(outgoing, head, body, encoding);
}

async function sendEncoded(
  outgoing: Outgoing,
  head: ResponseHead,
  body: string | Uint8Array,
  encoding: Encoding,
): Promise<number> {
  outgoing.detach();
  const encoded = await encode(encoding, body);
  return sendBytes(outgoing, head, encoded, encoded.length);
}

function sendBytes(
  outgoing: Outgoing,
  head: ResponseHead,
  body: string | Uint8Array,
  bytes: number,
): number | Promise<number> {
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
  const pieces = untilDisconnect(outgoing, body.stream);
  return sendPieces(outgoing.exchange.respondInPieces(head, body.bytes), pieces);
}

function withWeakTag(reply: Reply): Reply {
  const tag = reply.headers?.ETag;
  return typeof tag === 'string' ? { ...reply, headers: { ...reply.headers, ETag: weakTag(tag) } } : reply;
}

/** Whether to respond with 304: the reply has an ETag, and the client has what it names. */
function isKnown({ exchange }: Outgoing, reply: Reply): boolean {
  const tag = reply.headers?.ETag;
  if (reply.status !== 200 || typeof tag !== 'string') return false;
  const { method } = exchange.head;
  return (method === 'GET' || method === 'HEAD') && isNotModified(exchange.head, tag);
}

function jsonText({ value, indent }: Extract<ReplyBody, { kind: 'json' }>): string {
  // With further arguments, V8 leaves its fast path.
  const text = indent === undefined ? JSON.stringify(value) : JSON.stringify(value, null, indent);
  return text ?? 'null';
}
