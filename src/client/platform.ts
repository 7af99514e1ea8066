/** The platform of the clients: Node.js, with undici. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { request, type Dispatcher as UndiciDispatcher } from 'undici';
import type { Inspected, PlatformRequest, PlatformResponse } from './platform-port.js';

/** An undici dispatcher. */
export type Dispatcher = UndiciDispatcher;

/** The body of a response. */
export type ByteStream = Readable;

/** The body of an upload. */
export type UploadBody = Readable;

/** A file: a path or a file URL. */
export type FileSource = string | URL;

/** The connection failed, so the service cannot have received the request. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What a source may be, for error messages. */
export const SOURCES = 'a path, bytes or a stream of bytes';

/** Whether a source names a file. */
export function isFileSource(source: unknown): source is FileSource {
  return typeof source === 'string' || source instanceof URL;
}

/** @param source a path or a file URL. @throws the file system's error if the file can't be read */
export async function inspectFile(source: FileSource): Promise<Inspected> {
  const { size } = await stat(source);
  const filename = path.basename(source instanceof URL ? decodeURIComponent(source.pathname) : source);
  return { bytes: size, filename, isRepeatable: true, pieces: () => createReadStream(source) };
}

/** Whether the service may have received a request that failed with this error. */
export function mayBeReceived(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return !NOT_CONNECTED.has(code);
}

/** A body of these pieces, read only as fast as it is sent. */
export function bodyOf(_source: Inspected, pieces: () => AsyncIterable<Uint8Array>): UploadBody {
  return Readable.from(pieces(), { objectMode: false });
}

export async function send({
  url,
  timeoutMs,
  signal,
  dispatcher,
  ...sent
}: PlatformRequest<UploadBody, Dispatcher>): Promise<PlatformResponse<ByteStream>> {
  const { statusCode, headers, body } = await request(url, {
    ...sent,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    signal: signal ?? null,
    ...(dispatcher && { dispatcher }),
  });
  return {
    status: statusCode,
    headers: singleHeaders(headers),
    stream: body,
    text: () => body.text(),
    bytes: async () => Buffer.from(await body.arrayBuffer()),
  };
}

function singleHeaders(headers: UndiciDispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
