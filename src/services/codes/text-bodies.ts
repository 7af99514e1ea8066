/** Reads texts from JSON bodies. Each is held in memory, so the total of all of them is limited. */
import { Gathered } from '../../http/request/gathered.js';
import { isNativeError, native } from '../../native.js';
import { CodesRefusal, Unavailable } from './errors.js';

/** Two of the largest bodies. Processing a text needs several times its size. */
const HELD_BYTES_MAX = 256 * 1024 * 1024;

export class TextBodies {
  #heldBytes = 0;

  /**
   * Calls `work` with the `text` of a JSON object, as UTF-8 except for escaped lone surrogates.
   *
   * @throws {CodesRefusal} if the body is invalid; {@link Unavailable} while other bodies use all the memory
   */
  async read<T>(body: AsyncIterable<Uint8Array>, work: (text: Buffer) => Promise<T>): Promise<T> {
    let bytes = 0;
    try {
      const json = new Gathered();
      for await (const chunk of body) {
        bytes += chunk.byteLength;
        this.#heldBytes += chunk.byteLength;
        if (this.#heldBytes > HELD_BYTES_MAX) throw new Unavailable();
        json.add(chunk);
      }
      return await work(await textOf(json.take()));
    } finally {
      this.#heldBytes -= bytes;
    }
  }
}

async function textOf(json: Uint8Array): Promise<Buffer> {
  try {
    return await native.jsonText(json);
  } catch (error) {
    if (isNativeError(error, 'NOT_JSON'))
      throw new CodesRefusal('REQUEST_INVALID', { reason: `the body is not JSON: ${error.message}` });
    if (isNativeError(error, 'SCHEMA_VIOLATION'))
      throw new CodesRefusal('REQUEST_INVALID', { reason: error.message });
    throw error;
  }
}
