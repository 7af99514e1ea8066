/** Feeding an answer that is sent piece by piece. */

import type { ResponseStream } from '../transport/transport.js';
import { AnswerBroken } from './errors.js';

/**
 * Sends all pieces, each when the client has taken the one before, and gives the number of bytes. When the
 * source fails the connection is broken: the client must not take a part for the whole.
 *
 * @throws {AnswerBroken} if the source fails
 */
export async function sendPieces(
  sink: ResponseStream,
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): Promise<number> {
  let sent = 0;
  try {
    for await (const piece of source) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      if (bytes.length === 0) continue;
      if (!(await sink.write(bytes))) return sent;
      sent += bytes.length;
    }
  } catch (error) {
    sink.destroy();
    throw new AnswerBroken(error);
  }
  sink.end();
  return sent;
}
