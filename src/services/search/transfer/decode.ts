/** Decodes compressed bytes while they arrive: request bodies and imported files. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isNativeError, native } from '../../../native.js';

export const ENCODINGS = ['gzip', 'zstd'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** The bytes are not what their encoding says. */
export class NotDecodable extends Error {
  override readonly name = 'NotDecodable';

  constructor(encoding: Encoding, cause?: unknown) {
    const reason = cause instanceof Error ? `: ${cause.message}` : ': they end within a frame';
    super(`the bytes are not valid ${encoding}${reason}`, { cause });
  }
}

/**
 * The decoded bytes, read no faster than their reader.
 *
 * @throws {NotDecodable}
 */
export function decoded(
  bytes: AsyncIterable<Uint8Array>,
  encoding: Encoding | undefined,
): AsyncIterable<Uint8Array> {
  if (encoding === undefined) return bytes;
  return encoding === 'gzip' ? gunzipped(bytes) : unzstd(bytes);
}

async function* gunzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sourceError: unknown;
  const source = async function* () {
    try {
      yield* bytes;
    } catch (error) {
      sourceError = error;
      throw error;
    }
  };
  const input = Readable.from(source());
  const gunzip = createGunzip();
  input.once('error', (error) => gunzip.destroy(error));
  try {
    yield* input.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw sourceError ?? new NotDecodable('gzip', error);
  } finally {
    input.destroy();
  }
}

async function* unzstd(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new native.ZstdDecoder();
  for await (const chunk of bytes) {
    let rest = chunk;
    for (let more = true; more || rest.length > 0; ) {
      const output = await decoder.decode(rest).catch((error: unknown) => {
        throw isNativeError(error, 'DAMAGED') ? new NotDecodable('zstd', error) : error;
      });
      rest = rest.subarray(output.consumed);
      more = output.more;
      if (output.bytes.length > 0) yield output.bytes;
    }
  }
  if (!decoder.isComplete) throw new NotDecodable('zstd');
}
