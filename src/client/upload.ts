/** The body of an upload: a file, bytes or a stream, read only as fast as it is sent. */
import { type Bytes, invalid, isArrayBuffer, isUint8Array } from './arguments.js';
import { bodyOf, type FileSource, inspectFile, isFileSource, SOURCES, type UploadBody } from './platform.js';
import type { Inspected } from './platform-port.js';

/** Bytes per piece of a source in memory; progress is reported after each piece. */
const PIECE_BYTES = 64 * 1024;

/** A path, bytes, or a stream of bytes. A `File` also has a name. Browsers have no paths. */
export type Source = FileSource | Bytes | AsyncIterable<Uint8Array>;

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
  open(): UploadBody;
  /** Whether `open` may be called again. */
  readonly isRepeatable: boolean;
  /** The error of reading the source, if any. */
  failure(): unknown;
  /** Reports the progress of a body that the platform read by itself. Called when the service has responded. */
  onSent(): void;
}

/** @throws {InvalidArgument} for another source, or the file system's error if a path can't be read */
export async function uploadOf(source: Source, onProgress?: OnProgress): Promise<Upload> {
  const inspected = await inspect(source);
  const { bytes, filename, isRepeatable } = inspected;
  let failure: unknown;
  let isCounted = false;
  return {
    bytes,
    filename,
    isRepeatable,
    failure: () => failure,
    open() {
      return bodyOf(inspected, () => {
        isCounted = true;
        return counted(inspected.pieces(), bytes, onProgress, (error) => {
          failure = error;
        });
      });
    },
    onSent() {
      if (!isCounted && bytes !== undefined) onProgress?.({ sent: bytes, total: bytes });
    },
  };
}

async function inspect(source: Source): Promise<Inspected> {
  if (isFileSource(source)) {
    if (source instanceof URL && source.protocol !== 'file:')
      throw invalid('source', 'a path or a file URL', source.href);
    return inspectFile(source);
  }
  const bytes = isArrayBuffer(source) ? new Uint8Array(source) : source;
  if (isUint8Array(bytes)) {
    const pieces = () => slices(bytes);
    return { bytes: bytes.byteLength, filename: undefined, isRepeatable: true, content: bytes, pieces };
  }
  if (bytes instanceof Blob) {
    const filename = bytes instanceof File ? bytes.name : undefined;
    return { bytes: bytes.size, filename, isRepeatable: true, content: bytes, pieces: () => piecesOf(bytes) };
  }
  if (!isStream(bytes)) throw invalid('source', SOURCES, source);
  return { bytes: undefined, filename: undefined, isRepeatable: false, pieces: () => bytes };
}

function isStream(source: unknown): source is AsyncIterable<Uint8Array> {
  return typeof source === 'object' && source !== null && Symbol.asyncIterator in source;
}

/** By a reader: Safari cannot iterate over streams. */
async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
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
