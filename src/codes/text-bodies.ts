/** Texts that come in JSON. Each is read as a whole, so what all of them take together has a limit. */
import { native } from '../native.js';
import { CodesRefusal, Unavailable } from './errors.js';

/** Two of the largest bodies; a text takes several times its size while it is worked on. */
const HELD_BYTES_MAX = 256 * 1024 * 1024;

export class TextBodies {
  #heldBytes = 0;

  /**
   * Does something with the `text` of a JSON object, as UTF-8 (but for escapes of lone surrogates).
   *
   * @throws {CodesRefusal} if the body is no such JSON; {@link Unavailable} while others hold all the room
   */
  async read<T>(body: AsyncIterable<Uint8Array>, work: (text: Buffer) => Promise<T>): Promise<T> {
    let bytes = 0;
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) {
        bytes += chunk.byteLength;
        this.#heldBytes += chunk.byteLength;
        if (this.#heldBytes > HELD_BYTES_MAX) throw new Unavailable();
        chunks.push(chunk);
      }
      const [only] = chunks;
      return await work(await textOf(chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes)));
    } finally {
      this.#heldBytes -= bytes;
    }
  }
}

async function textOf(json: Uint8Array): Promise<Buffer> {
  const { text, notJson, invalid } = await native.jsonText(json);
  if (notJson !== undefined) {
    throw new CodesRefusal('REQUEST_INVALID', { reason: `the body is not JSON: ${notJson}` });
  }
  if (text === undefined)
    throw new CodesRefusal('REQUEST_INVALID', { reason: invalid ?? 'there is no text' });
  return text;
}
