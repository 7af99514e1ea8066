/** Fetches sources that are not files: standard input, pipes, devices and web addresses. */
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codesVariables, readCodesConfig } from '../../platform/config/codes.js';
import { environment } from '../../platform/config/env.js';
import { outgoingFetch } from '../../platform/egress/fetch.js';
import { inBytes } from './progress.js';
import { type LocalFile, type Source, SourceFailed, type Unreadable } from './source.js';

/** Requests a resource; may add a signature. */
export type Request = (url: string) => Promise<Response>;

/** Without a name, the media type is detected from the content only. */
const STDIN_NAME = 'stdin';

export function stdinSource(filename = STDIN_NAME): Source {
  const fetch = (folder: string) => fetchTransient(process.stdin, folder);
  return { path: '-', filename, isTransient: true, fetch };
}

/** Copies what can be read only once: up to the size of an upload, because it may be endless. */
export function fetchTransient(stream: NodeJS.ReadableStream, folder: string): Promise<LocalFile> {
  return fetchStream(stream, folder, readCodesConfig(environment()).maxUploadBytes);
}

export function webSource(url: string): Source | Unreadable {
  const invalid = (rule: string) => ({ path: url, error: new SourceFailed('ADDRESS_INVALID', rule) });
  if (!URL.canParse(url)) return invalid('the address is not a valid URL');
  const { pathname, hostname, username, password } = new URL(url);
  if (username + password !== '') return invalid(CREDENTIALS_REFUSED);
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  const filename = decoded(last) || hostname;
  return { path: url, filename, fetch: (folder) => download(url, folder, outgoingFetch) };
}

/** `fetch` refuses such addresses, and results would contain them. */
const CREDENTIALS_REFUSED =
  'the address must have no user name and password; fetch the file by another program and pipe it to isccd code -';

const ATTEMPTS_MAX = 4;
const FIRST_PAUSE_MS = 500;

/** Downloads into `folder`. */
export function download(url: string, folder: string, request: Request): Promise<LocalFile> {
  return repeated(() => attemptOf(url, folder, request));
}

/** Repeats failed attempts, unless the server says that they would fail again. @throws {SourceFailed} */
export async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isFinal = error instanceof SourceFailed && error.cause === undefined;
      if (isFinal || number === ATTEMPTS_MAX) throw failed(error);
      await sleep(FIRST_PAUSE_MS * 2 ** (number - 1) * (0.5 + Math.random()));
    }
  }
}

async function attemptOf(url: string, folder: string, request: Request): Promise<LocalFile> {
  const response = await succeeded(request(url));
  const filename = nameOf(response.headers.get('content-disposition'));
  const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as never);
  return { ...(await fetchStream(body, folder)), ...(filename !== undefined && { filename }) };
}

/** Statuses that a later attempt may not have. */
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The response. @throws {SourceFailed} if its status is not 200; with a cause if it may be another one later */
export async function succeeded(request: Promise<Response>): Promise<Response> {
  const response = await request;
  if (response.ok) return response;
  await response.body?.cancel();
  const { status } = response;
  const cause = TEMPORARY.has(status) ? { cause: new Error(`status ${status}`) } : {};
  const code = status === 404 || status === 410 ? 'NOT_FOUND' : 'FETCH_FAILED';
  throw new SourceFailed(code, `the server responds with status ${status}`, cause);
}

function failed(error: unknown): SourceFailed {
  if (error instanceof SourceFailed) return error;
  const { cause } = error as Error;
  const reason = cause instanceof Error ? cause.message : (error as Error).message;
  return new SourceFailed('FETCH_FAILED', `the content can't be fetched: ${reason}`, { cause: error });
}

/** Writes a stream to a new file in `folder`. @throws {SourceFailed} if it has more than `bytesMax` */
export async function fetchStream(
  stream: NodeJS.ReadableStream,
  folder: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<LocalFile> {
  // Without a pause: until `pipeline` listens, a connection that breaks would end the process.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `fetched-${randomBytes(9).toString('hex')}`);
  const discard = () => rm(file, { force: true });
  try {
    const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    await pipeline(stream, (chunks) => limited(chunks as AsyncIterable<Buffer>, bytesMax), target);
  } catch (error) {
    await discard();
    throw error;
  }
  return { path: file, discard };
}

async function* limited(chunks: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      const rule = `the content has more than ${inBytes(bytesMax)} (${codesVariables.maxUploadBytes.name})`;
      throw new SourceFailed('TOO_LARGE', `${rule}; save it to a file and name that`);
    }
    yield chunk;
  }
}

/** The file name of a `Content-Disposition`: RFC 6266, the extended form first. */
function nameOf(disposition: string | null): string | undefined {
  if (disposition === null) return undefined;
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const name =
    extended === undefined ? (plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]) : decoded(extended);
  return name?.slice(name.lastIndexOf('/') + 1) || undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
