/** The platform of the clients where only `fetch` is certain: browsers, Deno, Bun and workers at the edge. */
import type { Inspected, PlatformRequest, PlatformResponse } from './platform-port.js';

/** Connections are the platform's. */
export type Dispatcher = never;

/** The body of a response. */
export type ByteStream = ReadableStream<Uint8Array>;

/** The body of an upload. */
export type UploadBody = Promise<Blob>;

/** There are no paths: use a `File` or a `Blob`. */
export type FileSource = never;

/** What a source may be, for error messages. */
export const SOURCES = 'bytes, a Blob, a File or a stream of bytes';

/** Whether a source names a file. */
export function isFileSource(_source: unknown): _source is FileSource {
  return false;
}

/** Never called. */
export function inspectFile(source: FileSource): Promise<Inspected> {
  return source;
}

/** `fetch` does not tell why it failed. */
export function mayBeReceived(_error: unknown): boolean {
  return true;
}

/**
 * A `Blob` is sent as it is, without reading it first. The pieces of a stream are collected, because browsers send streams
 * over HTTP/2 only.
 */
export async function bodyOf({ content }: Inspected, pieces: () => AsyncIterable<Uint8Array>): UploadBody {
  if (content instanceof Blob) return content;
  const collected: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces()) collected.push(new Uint8Array(piece));
  return new Blob(collected);
}

export async function send({
  url,
  timeoutMs,
  body,
  signal,
  dispatcher: _,
  ...sent
}: PlatformRequest<UploadBody, Dispatcher>): Promise<PlatformResponse<ByteStream>> {
  // A browser computes the length itself and refuses this header.
  const { 'Content-Length': __, ...headers } = sent.headers;
  const content = body instanceof Uint8Array ? new Uint8Array(body) : await body;
  const started = timeLimit(timeoutMs, signal);
  const response = await started.within(
    fetch(url, { ...sent, headers, body: content, signal: started.signal }),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    stream: response.body ?? new Blob([]).stream(),
    text: () => timeLimit(timeoutMs, undefined, started.abort).within(response.text()),
    bytes: async () =>
      new Uint8Array(await timeLimit(timeoutMs, undefined, started.abort).within(response.arrayBuffer())),
  };
}

/** Limits the time of promises; `signal` aborts the request when it ends, or when the caller aborts. */
function timeLimit(ms: number, given?: AbortSignal, onEnd: (reason: unknown) => void = () => {}) {
  const controller = new AbortController();
  const abort = (reason: unknown) => {
    controller.abort(reason);
    onEnd(reason);
  };
  if (given?.aborted) abort(given.reason);
  given?.addEventListener('abort', () => abort(given.reason), { once: true });
  return {
    signal: controller.signal,
    abort,
    async within<T>(work: Promise<T>): Promise<T> {
      const timer = setTimeout(() => abort(new DOMException('no response in time', 'TimeoutError')), ms);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
