/** The body of an upload: a file, bytes or a stream, read only as fast as it is sent. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type Bytes, invalid, isArrayBuffer, isUint8Array } from './arguments.js';

/** Bytes per piece of a source in memory; progress is reported after each piece. */
const PIECE_BYTES = 64 * 1024;

/** A path, bytes, or a stream of bytes. A `File` also has a name. */
export type Source = string | URL | Bytes | AsyncIterable<Uint8Array>;

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

/** @throws {InvalidArgument} for another source, or the file system's error if a path can't be read */
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
    if (source instanceof URL && source.protocol !== 'file:')
      throw invalid('source', 'a path or a file URL', source.href);
    const { size } = await stat(source);
    const filename = path.basename(source instanceof URL ? decodeURIComponent(source.pathname) : source);
    return { bytes: size, filename, isRepeatable: true, pieces: () => createReadStream(source) };
  }
  const bytes = isArrayBuffer(source) ? new Uint8Array(source) : source;
  if (isUint8Array(bytes)) {
    const pieces = () => slices(bytes);
    return { bytes: bytes.byteLength, filename: undefined, isRepeatable: true, pieces };
  }
  if (bytes instanceof Blob) {
    const filename = bytes instanceof File ? bytes.name : undefined;
    return { bytes: bytes.size, filename, isRepeatable: true, pieces: () => bytes.stream() };
  }
  if (!isStream(bytes)) throw invalid('source', 'a path, bytes or a stream of bytes', source);
  return { bytes: undefined, filename: undefined, isRepeatable: false, pieces: () => bytes };
}

function isStream(source: unknown): source is AsyncIterable<Uint8Array> {
  return typeof source === 'object' && source !== null && Symbol.asyncIterator in source;
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
      if (!isUint8Array(piece)) throw invalid('source', 'a stream of Uint8Arrays', piece);
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
