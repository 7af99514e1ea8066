/** Sends a response body piece by piece. */
import type { ResponseStream } from '../transport/transport.js';
import { ResponseFailed } from './errors.js';

/**
 * Sends each piece after the client has received the previous one, and returns the number of bytes. If the source
 * fails, the connection is closed, so that the client does not mistake a part for the whole.
 *
 * @throws {ResponseFailed} if the source fails
 */
export async function sendPieces(
  sink: ResponseStream,
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): Promise<number> {
  let sent = 0;
  try {
    for await (const piece of source) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      for (let at = 0; at < bytes.length; ) {
        at += sink.offer(bytes.subarray(at));
        if (!(await sink.writable())) return sent;
      }
      sent += bytes.length;
    }
  } catch (error) {
    sink.destroy();
    throw new ResponseFailed(error);
  }
  sink.end();
  return sent;
}
