/**
 * Routes as data. Each service has one route table; routing, validation, the OpenAPI document, the documentation
 * page and the typed client derive from it.
 */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Logger } from '../../platform/observe/log.js';
import type { Trace } from '../../platform/observe/trace.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * How to read the request body. A declared length above `bytesMax` is refused before reading; the limit also holds
 * while bytes arrive.
 */
export type BodySpec = BodyRules &
  (
    | { readonly kind: 'json'; readonly schema: z.ZodType }
    | { readonly kind: 'bytes'; readonly schema?: z.ZodType }
    /** A posted HTML form: fields by name; a repeated name becomes a list. */
    | { readonly kind: 'form'; readonly schema: z.ZodType }
    | { readonly kind: 'stream' }
  );

/** Limits on the length of a body. */
export interface LengthRules {
  readonly bytesMax: number;
  /** Whether a chunked body is refused (411). */
  readonly lengthRequired?: boolean;
}

interface BodyRules extends LengthRules {
  /** Whether an empty body is refused. Default: `true` for `json`, `false` for the others. */
  readonly required?: boolean;
  /** Accepted media types, without parameters. Default: the type of forms for `form`, any for the others. */
  readonly contentTypes?: readonly string[];
  /** Whether the media type is checked even if the body is empty. */
  readonly typeFirst?: boolean;
  /** Whether the handler decodes `Content-Encoding`. Otherwise encoded bodies are refused. */
  readonly decodes?: boolean;
  /** Schema of JSON that the service parses itself; used for documentation only. */
  readonly documented?: z.ZodType;
}

/** A body that is read while it arrives. A slow reader slows the sender down. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** The declared Content-Length in bytes, or `undefined` for a chunked body. */
  readonly declaredBytes: number | undefined;
  /**
   * Offers bytes to `take` as they arrive, if the reader waits for them. If it returns `true`, it has copied or used them, and
   * the reader does not get them. That saves a copy, and a turn of the reader per chunk.
   */
  offer(take: (bytes: Uint8Array) => boolean): void;
  /**
   * Takes memory for `bytes` in total, which the reader keeps until the request is over, of the budget of all bodies.
   *
   * @throws {RequestRefused} if there is no room
   */
  reserve(bytes: number): void;
}

/** A validated request, as a handler sees it. */
export interface Request<Params = unknown, Query = unknown, Headers = unknown, Body = unknown> {
  /** Unique per request; appears in its log lines and in the `X-Request-Id` response header. */
  readonly id: string;
  readonly method: Method | 'HEAD';
  readonly path: string;
  readonly params: Params;
  readonly query: Query;
  /** The query as it was sent, without its question mark. */
  readonly rawQuery: string;
  readonly headers: Headers;
  readonly body: Body;
  /** The client's IP address, after the proxy rule (`*_NUM_PROXIES`). */
  readonly clientAddress: string;
  /** Scheme and host as the client sees them, without a trailing slash. */
  readonly origin: string;
  /** The other services of the console, for the client's browser. */
  readonly neighbours: Origins;
  /** A raw header by lower-case name; for headers without a schema. */
  header(name: string): string | undefined;
  readonly log: Logger;
  /** The trace that the request belongs to; propagate it to outgoing requests. */
  readonly trace: Trace;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** What a handler returns. The HTTP layer takes care of HEAD, conditional requests and ranges. */
export interface Reply {
  readonly status: number;
  /** A list becomes several header lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: ReplyBody;
}

export type ReplyBody =
  | { readonly kind: 'json'; readonly value: unknown; readonly indent?: number }
  | { readonly kind: 'text'; readonly text: string; readonly contentType?: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly contentType: string }
  /** A file on disk, with support for Range, HEAD, `If-Match` and `If-None-Match`. */
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly contentType: string;
      readonly etag?: string;
      readonly disposition?: { readonly type: 'attachment' | 'inline'; readonly filename: string };
      /** Largest read from the disk, in bytes. */
      readonly chunkBytes?: number;
      /** Compresses the file if the client accepts it, and keeps the result in memory. For a few small fixed files. */
      readonly compress?: boolean;
    }
  /** Content on another machine, with the same support as a file. */
  | {
      readonly kind: 'content';
      readonly bytes: number;
      /** Opens the bytes from `start` to `end` (exclusive). Called at most once, before the response starts. */
      readonly read: (range: { readonly start: number; readonly end: number }) => Promise<Readable>;
      readonly contentType: string;
      readonly etag: string;
      readonly disposition?: { readonly type: 'attachment' | 'inline'; readonly filename: string };
    }
  | {
      readonly kind: 'stream';
      readonly stream: Readable;
      readonly bytes?: number;
      readonly contentType: string;
    };

/** How a request authenticates: `Authorization: Bearer ...`, or `X-API-Key: ...`. */
export type SecurityScheme = 'bearer' | 'ApiKeyAuth';

/** A documented response of a route. */
export interface ResponseSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Default: `application/json` with a schema, else the type of the service's errors. */
  readonly contentType?: string;
  /** Whether it is sent from a file, so that 206, 304, 412 and 416 are possible too. */
  readonly file?: boolean;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: z.ZodType }>>;
}

export type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type ParsedBody<B> = B extends { kind: 'json' | 'form'; schema: infer S }
  ? Parsed<S>
  : B extends { kind: 'bytes' }
    ? Uint8Array
    : B extends { kind: 'stream' }
      ? BodyStream
      : undefined;

/** One row of a route table. Build it with {@link route}, which infers the handler's types from the schemas. */
export interface Route {
  readonly method: Method;
  /** `{name}` matches a segment, e.g. `/api/v1/media/{media_id}`; a final `{name...}` matches the rest of the path. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Segments that violate the schema make the path unknown (404), not the request bad (400). */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** By lower-case header name. */
  readonly headers?: z.ZodObject;
  readonly body?: BodySpec;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Leaves the route out of the OpenAPI document (pages, assets). */
  readonly hidden?: boolean;
  /** A file that pages load: its requests are logged at the level `debug`. */
  readonly isAsset?: boolean;
  /**
   * `false` exempts the route from the service's CORS policy. `console` does too, but pages of the console's other
   * services may call it.
   */
  readonly cors?: boolean | 'console';
  /**
   * Checks secrets and rate limits before the body is read, after the check of its declared length. Throws to refuse.
   * `params`, `query`, `headers` and `body` are not set yet.
   */
  readonly guard?: (request: Request) => void | Promise<void>;
  /** What the guard requires, for the documentation. */
  readonly security?: SecurityScheme;
  /** Whether requests are also accepted without it. */
  readonly securityOptional?: boolean;
  /** The right that the guard requires, if the service has rights, for the documentation. */
  readonly right?: string;
  readonly handler: (request: Request) => Reply | Promise<Reply>;
}

/** Infers a handler's argument types from the row's schemas. */
export function route<
  const P extends z.ZodObject | undefined = undefined,
  const Q extends z.ZodObject | undefined = undefined,
  const H extends z.ZodObject | undefined = undefined,
  const B extends BodySpec | undefined = undefined,
>(
  row: Omit<Route, 'params' | 'query' | 'headers' | 'body' | 'handler'> & {
    readonly params?: P;
    readonly query?: Q;
    readonly headers?: H;
    readonly body?: B;
    readonly handler: (
      request: Request<Parsed<P>, Parsed<Q>, Parsed<H>, ParsedBody<B>>,
    ) => Reply | Promise<Reply>;
  },
): Route {
  return row as unknown as Route;
}

/** Origins by service name. */
export type Origins = Readonly<Record<string, string>>;

/** The largest body that a service accepts, in bytes. */
export function largestBody(routes: readonly Pick<Route, 'body'>[]): number {
  return Math.max(0, ...routes.map(({ body }) => body?.bytesMax ?? 0));
}
