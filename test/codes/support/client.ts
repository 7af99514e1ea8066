/** HTTP requests of the tests. */
import { createHash } from 'node:crypto';

/** A request body for fetch. */
export type Body = string | Uint8Array<ArrayBuffer> | ArrayBuffer | ReadableStream<Uint8Array>;

export interface UploadOptions {
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly to?: 'iscc' | 'media';
  readonly signal?: AbortSignal;
}

export interface UploadAnswer {
  readonly media_id: string;
  readonly content: string;
  readonly iscc: string;
  readonly units: string[];
  readonly [field: string]: unknown;
}

export function filenameHeader(name: string): Record<string, string> {
  return { 'X-Upload-Filename': Buffer.from(name).toString('base64') };
}

export function upload(
  base: string,
  name: string,
  body: Body,
  { headers = {}, query = '', to = 'iscc', signal }: UploadOptions = {},
): Promise<Response> {
  return fetch(`${base}/api/v1/${to}${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', ...filenameHeader(name), ...headers },
    body,
    ...(signal && { signal }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  });
}

/** Uploads a file and returns the response body. Throws if the status is not 201. */
export async function uploaded(
  base: string,
  name: string,
  body: Body,
  options?: UploadOptions,
): Promise<UploadAnswer> {
  const response = await upload(base, name, body, options);
  if (response.status !== 201) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return bodyOf(response);
}

/** The JSON body of a response. */
export async function bodyOf(response: Response): Promise<UploadAnswer> {
  return (await response.json()) as UploadAnswer;
}

export function postJson(base: string, path: string, value: unknown, headers = {}): Promise<Response> {
  return fetch(`${base}/api/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  });
}

/** Pseudo-random bytes of no known media type, the same for the same seed. */
export function noise(bytes: number, seed = 1): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(bytes);
  let state = seed >>> 0;
  for (let index = 0; index < bytes; index += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    result[index] = state >>> 24;
  }
  return result;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A chunked body of `bytes` bytes. */
export function chunked(bytes: number, chunkBytes = 64 * 1024): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(chunkBytes, bytes - sent);
      if (size > 0) controller.enqueue(noise(size, sent + 1));
      sent += size;
      if (sent >= bytes) controller.close();
    },
  });
}
