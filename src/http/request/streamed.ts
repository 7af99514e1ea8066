/** Streamed bodies as a whole, or line by line. */
import { setImmediate as afterEvents } from 'node:timers/promises';
import { RequestRefused } from '../reply/errors.js';
import type { BodyStream } from '../routing/route.js';
import { Gathered } from './gathered.js';

/** Media type of JSON lines, as responses name it. */
export const LINES_TYPE = 'application/x-ndjson';

const NEWLINE = 10;
/** Lines after which other requests get their turn. */
const LINES_PER_TURN = 32;

/** Whether a media type is that of JSON lines. */
export function isLines(contentType: string | undefined): boolean {
  return /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i.test(contentType ?? '');
}

/**
 * A whole body. It takes memory of the budget of all bodies, before it is read if its length is known.
 *
 * @param decoded its decoded bytes, if it is encoded
 * @throws {RequestRefused} if it is longer than `bytesMax`, also after decoding, or there is no memory for it
 */
export async function wholeBody(
  body: BodyStream,
  bytesMax: number,
  decoded: AsyncIterable<Uint8Array> = body,
): Promise<Buffer> {
  const refusal = () => new RequestRefused({ kind: 'body-too-large', bytesMax });
  if (decoded === body && body.declaredBytes !== undefined) {
    if (body.declaredBytes > bytesMax) throw refusal();
    body.reserve(body.declaredBytes);
  }
  const whole = new Gathered();
  for await (const chunk of decoded) {
    const length = whole.length + chunk.length;
    if (length > bytesMax) throw refusal();
    body.reserve(length);
    whole.add(chunk);
  }
  return whole.take();
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of a text without the byte order mark that programs on Windows write. */
export function withoutByteOrderMark<T extends Uint8Array>(text: T): T {
  return BYTE_ORDER_MARK.equals(text.subarray(0, 3)) ? (text.subarray(3) as T) : text;
}

/** A line of a body. */
export interface BodyLine {
  /** From 1; empty lines count. */
  readonly line: number;
  /** `undefined` if it is longer than allowed. */
  readonly text: string | undefined;
}

/** The lines of a body that are not empty, while it arrives. At most `lineBytesMax` bytes are kept. */
export async function* bodyLines(
  bytes: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<BodyLine> {
  let line = 1;
  let length = 0;
  const kept = new Gathered();
  const finished = (): BodyLine | undefined => {
    if (length === 0) return undefined;
    const isTooLong = length > lineBytesMax;
    const bytes = kept.take();
    length = 0;
    const text = isTooLong ? undefined : bytes.toString('utf8').trim();
    return text === '' ? undefined : { line, text };
  };
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(NEWLINE, at);
      const part = chunk.subarray(at, found < 0 ? undefined : found);
      length += part.length;
      if (part.length > 0 && length <= lineBytesMax) kept.add(part);
      if (found < 0) break;
      const isEmpty = length === 0;
      const done = finished();
      if (done !== undefined) yield done;
      if (!isEmpty && line % LINES_PER_TURN === 0) await afterEvents();
      line += 1;
      at = found + 1;
    }
  }
  const last = finished();
  if (last !== undefined) yield last;
}
