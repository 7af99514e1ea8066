/** The body of an upload: a file, bytes or a stream, read only as fast as it is sent. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';

/** Bytes per piece of a source in memory; progress is reported after each piece. */
const PIECE_BYTES = 64 * 1024;

/** A path, bytes, or a stream of bytes. */
export type Source = string | URL | Uint8Array | AsyncIterable<Uint8Array>;

export interface Progress {
  /** Bytes handed to the connection. */
  readonly sent: number;
  /** `undefined` for a stream, whose length is unknown. */
  readonly total: number | undefined;
}

export type OnProgress = (progress: Progress) => void;

export interface Upload {
  /** `undefined` for a stream. */
  readonly bytes: number | undefined;
  /** `undefined` if the source is not a file. */
  readonly filename: string | undefined;
  /** A new body. A stream can be opened only once. */
  open(): Readable;
  /** Whether `open` may be called again. */
  readonly isRepeatable: boolean;
  /** The error of reading the source, if any. */
  failure(): unknown;
}

/** @throws the file system's error if a path can't be read */
export async function uploadOf(source: Source, onProgress?: OnProgress): Promise<Upload> {
  const { bytes, pieces, ...known } = await inspect(source);
  let failure: unknown;
  return {
    ...known,
    bytes,
    failure: () => failure,
    open() {
      const body = counted(pieces(), bytes, onProgress, (error) => {
        failure = error;
      });
      return Readable.from(body, { objectMode: false });
    },
  };
}

interface Inspected extends Pick<Upload, 'bytes' | 'filename' | 'isRepeatable'> {
  pieces(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

async function inspect(source: Source): Promise<Inspected> {
  if (typeof source === 'string' || source instanceof URL) {
    const { size } = await stat(source);
    const filename = path.basename(source instanceof URL ? decodeURIComponent(source.pathname) : source);
    return { bytes: size, filename, isRepeatable: true, pieces: () => createReadStream(source) };
  }
  if (source instanceof Uint8Array) {
    const pieces = () => slices(source);
    return { bytes: source.byteLength, filename: undefined, isRepeatable: true, pieces };
  }
  return { bytes: undefined, filename: undefined, isRepeatable: false, pieces: () => source };
}

function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

async function* counted(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  total: number | undefined,
  onProgress: OnProgress = () => {},
  onFailure: (error: unknown) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const piece of pieces) {
      yield piece;
      // The consumer requests the next piece, so the last one was sent.
      sent += piece.byteLength;
      onProgress({ sent, total });
    }
  } catch (error) {
    onFailure(error);
    throw error;
  }
}
