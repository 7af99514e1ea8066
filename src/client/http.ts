/** Sends the requests of all clients: URLs, responses, errors and retries. */
import { checkedBaseUrl } from './arguments.js';
import { ConnectionFailed, InvalidResponse, ServiceError, serviceError } from './errors.js';
import { type ByteStream, type Dispatcher, mayBeReceived, send, type UploadBody } from './platform.js';
import type { PlatformRequest, PlatformResponse } from './platform-port.js';
import { type RetryOptions, retryAfterMs, retryPause } from './retry.js';
import type { Upload } from './upload.js';

/** Processing a large file takes minutes, and the response starts after it. */
const TIMEOUT_MS_DEFAULT = 15 * 60_000;

export interface ClientOptions {
  readonly retry?: RetryOptions;
  /** Longest wait for the response to start, and between two pieces of it. Default: 15 minutes. */
  readonly timeoutMs?: number;
  /** An undici dispatcher, for proxies and certificates. */
  readonly dispatcher?: Dispatcher;
}

/** Options of every method. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Call {
  readonly method: PlatformRequest<never, never>['method'];
  /** Unescaped segments. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, QueryValue | readonly string[]>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** A body of another type; name it in `headers`. */
  readonly bytes?: Uint8Array;
  readonly upload?: Upload;
  /** Whether the request is idempotent and may be retried. Default: all methods except POST. */
  readonly isRepeatable?: boolean;
}

/** A streamed response. An unread stream holds its connection: read it to the end, or `destroy()` (in browsers `cancel()`) it. */
export interface Download {
  readonly stream: ByteStream;
  /** Content length; `undefined` if unknown. */
  readonly bytes: number | undefined;
  readonly contentType: string | undefined;
  readonly etag: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** A response of JSON lines. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

type Response = PlatformResponse<ByteStream>;

/** The resource does not exist, or not any more. */
const GONE = new Set([404, 410]);

/** A proxy lost the response of the service. */
const LOST = new Set([502, 504]);

export class HttpClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: ClientOptions;

  /**
   * @param headers sent with every request
   * @throws {InvalidArgument} if the base URL is not an http or https URL
   */
  constructor(baseUrl: string, options: ClientOptions = {}, headers: Readonly<Record<string, string>> = {}) {
    this.#base = checkedBaseUrl(baseUrl);
    this.#headers = headers;
    this.#options = options;
  }

  /** The JSON of the response: an object or a list. The caller determines its type by the operation. */
  json<T>(call: Call, options?: CallOptions): Promise<T> {
    return this.#send(call, options, async (response, url) => {
      const text = await response.text();
      const value = parsed(text);
      if (typeof value !== 'object' || value === null) throw unexpected(url, 'JSON', response, text);
      return value as T;
    });
  }

  /** A response of JSON lines, unparsed. */
  lines(call: Call, options?: CallOptions): Promise<Lines> {
    return this.#send(call, options, readLines);
  }

  /** The values of a response of JSON lines. The caller determines their type by the operation. */
  jsonLines<T>(call: Call, options?: CallOptions): Promise<readonly T[]> {
    return this.#send(call, options, async (response, url) => {
      const text = new TextDecoder().decode((await readLines(response, url)).bytes);
      try {
        return text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as T);
      } catch {
        throw unexpected(url, LINES, response, text);
      }
    });
  }

  /** For responses without content. A deletion whose first response was lost may find nothing at the next attempt. */
  async noContent(call: Call, options?: CallOptions): Promise<void> {
    const progress = { mayBeDone: false };
    const read: Read<void> = async (response, url) => {
      const text = await response.text();
      if (text !== '') throw unexpected(url, 'empty', response, text);
    };
    try {
      await this.#send(call, options, read, progress);
    } catch (error) {
      const isGone = error instanceof ServiceError && GONE.has(error.status);
      if (call.method !== 'DELETE' || !progress.mayBeDone || !isGone) throw error;
    }
  }

  download(call: Call, options?: CallOptions): Promise<Download> {
    return this.#send(call, options, async ({ stream, headers }) => {
      const length = headers['content-length'];
      return {
        stream,
        bytes: length === undefined ? undefined : Number(length),
        contentType: headers['content-type'],
        etag: headers.etag,
        headers,
      };
    });
  }

  async #send<T>(
    call: Call,
    { signal }: CallOptions = {},
    read: Read<T>,
    progress = { mayBeDone: false },
  ): Promise<T> {
    const { isRepeatable = call.method !== 'POST', upload } = call;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(call, signal, read);
      } catch (error) {
        if (!(error instanceof ServiceError || error instanceof ConnectionFailed)) throw error;
        // A stream cannot be read a second time.
        const attempts = upload?.isRepeatable === false ? { attempts: 1 } : {};
        const pause = retryPause(error, attempt, isRepeatable, { ...this.#options.retry, ...attempts });
        if (pause === undefined) throw error;
        const isLost = error instanceof ServiceError ? LOST.has(error.status) : error.mayBeReceived;
        progress.mayBeDone ||= isLost;
        await sleep(pause, signal);
        signal?.throwIfAborted();
      }
    }
  }

  /**
   * @throws {ServiceError} {@link InvalidResponse}, {@link ConnectionFailed}, the signal's reason, or the error of reading
   * the upload's source
   */
  async #once<T>(call: Call, signal: AbortSignal | undefined, read: Read<T>): Promise<T> {
    const url = this.#base + target(call);
    try {
      const { timeoutMs = TIMEOUT_MS_DEFAULT, dispatcher } = this.#options;
      const response = await send({
        url,
        method: call.method,
        headers: { ...this.#headers, ...call.headers, ...bodyHeaders(call) },
        body: body(call),
        timeoutMs,
        signal,
        dispatcher,
      });
      call.upload?.onSent();
      if (response.status >= 200 && response.status < 300) return await read(response, url);
      throw await errorOf(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ServiceError || error instanceof InvalidResponse) throw error;
      if (call.upload?.failure() !== undefined) throw call.upload.failure();
      throw new ConnectionFailed(url, mayBeReceived(error), error);
    }
  }
}

/** Reads the body of a successful response. */
type Read<T> = (response: Response, url: string) => Promise<T>;

/** A rule of {@link InvalidResponse}. */
const LINES = 'lines of JSON';

async function readLines(response: Response, url: string): Promise<Lines> {
  const { headers } = response;
  const bytes = await response.bytes();
  const isLines = /^application\/x-ndjson\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  if (!isLines) throw unexpected(url, LINES, response, new TextDecoder().decode(bytes));
  return { bytes, headers };
}

function unexpected(url: string, rule: string, { status, headers }: Response, body: string): InvalidResponse {
  const kept = { contentType: headers['content-type'], requestId: headers['x-request-id'] };
  return new InvalidResponse(url, rule, { status, body, ...kept });
}

/** Returns earlier if the caller aborts. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

type QueryValue = string | number | boolean | undefined;

function valuesOf(value: QueryValue | readonly string[]): readonly (string | number | boolean)[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [value];
}

function target({ path, query = {} }: Call): string {
  // The URL parser would remove them, and the request would reach another resource.
  const dots = path.find((segment) => ['', '.', '..'].includes(segment));
  if (dots !== undefined) throw new TypeError(`'${dots}' cannot be a part of the path of a request`);
  const given = Object.entries(query).flatMap(([name, value]) =>
    // The values of a list become parameters of the same name.
    valuesOf(value).map((one): [string, string] => [name, String(one)]),
  );
  const suffix = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return path.map((segment) => `/${encodeURIComponent(segment)}`).join('') + suffix;
}

function body({ json, bytes, upload }: Call): string | Uint8Array | UploadBody | null {
  if (bytes !== undefined) return bytes;
  if (upload !== undefined) return upload.open();
  return json === undefined ? null : JSON.stringify(json);
}

function bodyHeaders({ json, upload }: Call): Record<string, string> {
  if (json !== undefined) return { 'Content-Type': 'application/json' };
  return upload?.bytes === undefined ? {} : { 'Content-Length': String(upload.bytes) };
}

async function errorOf(response: Response): Promise<ServiceError> {
  const { status, headers } = response;
  return serviceError({
    status,
    body: parsed(await response.text()),
    requestId: headers['x-request-id'],
    retryAfterMs: retryAfterMs(headers['retry-after']),
  });
}

/** A proxy may respond with text or HTML. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
