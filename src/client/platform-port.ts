/**
 * What the clients need of the platform. `platform.ts` is for Node.js; packages for browsers have `platform-web.ts` in its
 * place (member `browser` of package.json).
 */
export interface PlatformRequest<Body, Dispatcher> {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | string | Uint8Array | null;
  /** Longest wait for the response to start, and between two pieces of it. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly dispatcher: Dispatcher | undefined;
}

export interface PlatformResponse<Stream> {
  readonly status: number;
  /** By lower-case name; several values are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, not read yet. */
  readonly stream: Stream;
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
}

/** The source of an upload. */
export interface Inspected {
  /** `undefined` for a stream. */
  readonly bytes: number | undefined;
  /** `undefined` if the source is not a file. */
  readonly filename: string | undefined;
  /** Whether `pieces` may be called again. */
  readonly isRepeatable: boolean;
  /** The bytes, if they are in memory or in a `Blob`. */
  readonly content?: Uint8Array | Blob;
  pieces(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}
