/**
 * Routes as data. A room gives one table of these; routing, validation, OpenAPI, the documentation
 * page, the typed client and the tests all derive from it.
 */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Logger } from '../../observe/log.js';
import type { Trace } from '../../observe/trace.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * How the request's body is read. A declared length above `bytesMax` is refused before a byte is
 * read, an undeclared one while the bytes arrive.
 */
export type BodySpec = BodyRules &
  (
    | { readonly kind: 'json'; readonly schema: z.ZodType }
    | { readonly kind: 'bytes'; readonly schema?: z.ZodType }
    /** What an HTML form posts: fields by name, a list where a name comes several times. */
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
  /** Whether a body of 0 bytes is refused. Default: `true` for `json`, `false` for the others. */
  readonly required?: boolean;
  /** Media types that are taken, without parameters; when absent, those of forms for `form`, else all. */
  readonly contentTypes?: readonly string[];
  /** Whether an empty body, too, has to have one of the media types. */
  readonly typeFirst?: boolean;
  /** JSON that the service reads and checks itself; only documented. */
  readonly documented?: z.ZodType;
}

/** A body that is read as it comes. Reading slowly slows the sender down. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** The declared Content-Length in bytes, or `undefined` for a chunked body. */
  readonly declaredBytes: number | undefined;
}

/** What a handler sees of one request; everything in it is validated. */
export interface Request<Params = unknown, Query = unknown, Headers = unknown, Body = unknown> {
  /** Unique per request; stands in each of its log lines and in the `X-Request-Id` answer header. */
  readonly id: string;
  readonly method: Method | 'HEAD';
  readonly path: string;
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** The client's address after the proxy rule (`*_NUM_PROXIES`), never a name. */
  readonly clientAddress: string;
  /** Scheme and host as the client sees them, without a trailing slash. */
  readonly origin: string;
  /** Raw header by lower-case name; for what no schema describes. */
  header(name: string): string | undefined;
  readonly log: Logger;
  /** What the request is a part of; to be handed on to whoever is asked on its behalf. */
  readonly trace: Trace;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** What a handler answers. HEAD, conditional requests and ranges are the HTTP layer's work. */
export interface Reply {
  readonly status: number;
  /** A list stands for several lines of one name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: ReplyBody;
}

export type ReplyBody =
  | { readonly kind: 'json'; readonly value: unknown; readonly indent?: number }
  | { readonly kind: 'text'; readonly text: string; readonly contentType?: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly contentType: string }
  /** A file on disk: Range, HEAD and `If-None-Match` (with `etag`) are answered from here. */
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly contentType: string;
      readonly etag?: string;
      readonly disposition?: { readonly type: 'attachment' | 'inline'; readonly filename: string };
      /** Bytes per read from the disk. */
      readonly chunkBytes?: number;
    }
  | {
      readonly kind: 'stream';
      readonly stream: Readable;
      readonly bytes?: number;
      readonly contentType: string;
    };

/** How a request shows that it may: `Authorization: Bearer ...`, or `X-API-Key: ...`. */
export type SecurityScheme = 'bearer' | 'apiKey';

/** One documented answer of a route. */
export interface ResponseSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Defaults to `application/json` with a schema, to the service's error form without. */
  readonly contentType?: string;
  /** Answered from a file, so that 206, 304 and 416 are possible as well. */
  readonly file?: boolean;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: z.ZodType }>>;
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type ParsedBody<B> = B extends { kind: 'json' | 'form'; schema: infer S }
  ? Parsed<S>
  : B extends { kind: 'bytes' }
    ? Uint8Array
    : B extends { kind: 'stream' }
      ? BodyStream
      : undefined;

/** One row of a route table. Build rows with {@link route} so that the handler's types follow from the schemas. */
export interface Route {
  readonly method: Method;
  /** With `{name}` for a segment, e.g. `/api/v1/media/{media_id}`; `{name...}` at the end takes all that is left. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Segments that do not match are an unknown path (404), not a bad request. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** By lower-case header name. */
  readonly headers?: z.ZodObject;
  readonly body?: BodySpec;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Not part of the OpenAPI document (pages, assets). */
  readonly hidden?: boolean;
  /** `false` leaves the service's CORS policy out. */
  readonly cors?: boolean;
  /**
   * Runs once the head is known and before the body is read, after the check of its length: secrets, rate
   * limits. Refuses by throwing. `params`, `query`, `headers` and `body` are not there yet.
   */
  readonly guard?: (request: Request) => void | Promise<void>;
  /** What the guard asks for, for the documentation. */
  readonly security?: SecurityScheme;
  readonly handler: (request: Request) => Reply | Promise<Reply>;
}

/** Ties a handler's argument types to the row's schemas. */
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
