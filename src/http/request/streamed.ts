/** Streamed bodies as a whole, or line by line. */
import { RequestRefused } from '../reply/errors.js';

/** Media type of JSON lines, as responses name it. */
export const LINES_TYPE = 'application/x-ndjson';

const NEWLINE = 10;

/** Whether a media type is that of JSON lines. */
export function isLines(contentType: string | undefined): boolean {
  return /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i.test(contentType ?? '');
}

/**
 * A whole body.
 *
 * @param declaredBytes its length, if it is known
 * @throws {RequestRefused} if it is longer than `bytesMax`, also after decoding
 */
export async function wholeBody(
  bytes: AsyncIterable<Uint8Array>,
  declaredBytes: number | undefined,
  bytesMax: number,
): Promise<Buffer> {
  const refusal = () => new RequestRefused({ kind: 'body-too-large', bytesMax });
  if (declaredBytes !== undefined && declaredBytes > bytesMax) throw refusal();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > bytesMax) throw refusal();
    chunks.push(chunk);
  }
  return chunks.length === 1
    ? Buffer.from((chunks[0] as Uint8Array).buffer, (chunks[0] as Uint8Array).byteOffset, length)
    : Buffer.concat(chunks);
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
  let parts: Uint8Array[] = [];
  let length = 0;
  const finished = (): BodyLine | undefined => {
    const isTooLong = length > lineBytesMax;
    const text = isTooLong ? undefined : Buffer.concat(parts).toString('utf8').trim();
    [parts, length] = [[], 0];
    return text === '' ? undefined : { line, text };
  };
  for await (const chunk of bytes) {
    for (let at = 0; at <= chunk.length; ) {
      const found = chunk.indexOf(NEWLINE, at);
      const part = chunk.subarray(at, found < 0 ? undefined : found);
      length += part.length;
      if (length <= lineBytesMax) parts.push(Buffer.from(part));
      if (found < 0) break;
      const done = finished();
      if (done !== undefined) yield done;
      line += 1;
      at = found + 1;
    }
  }
  const last = finished();
  if (last !== undefined) yield last;
}
