/** A service as the HTTP layer sees it: a route table and how it words its errors. */
import type { z } from 'zod';
import type { ErrorReports } from '../../observe/error-report.js';
import type { Metric } from '../../observe/instruments.js';
import type { LengthRules, Reply, Route } from './route.js';

/** Which part of a request broke which rule; the service words it in its own error form. */
export interface Violation {
  readonly where: 'params' | 'query' | 'headers' | 'body';
  /** Path inside the part, e.g. `['name']`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What the HTTP layer itself can refuse before a handler runs. */
export type Refusal =
  /** The request breaks HTTP's own rules; the connection is closed after the answer. 400. */
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'not-found'; readonly path: string; readonly query?: string }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'invalid'; readonly violations: readonly Violation[] }
  | { readonly kind: 'body-not-json'; readonly message: string }
  | { readonly kind: 'body-empty' }
  | { readonly kind: 'body-too-large'; readonly bytesMax: number }
  /** 411. */
  | { readonly kind: 'length-required' }
  /** A Range beyond the end; 416. The layer adds Content-Range. */
  | { readonly kind: 'range-unsatisfiable'; readonly size: number }
  | { readonly kind: 'media-type'; readonly accepted: readonly string[] };

/** One function per service renders every error: JSON or plain text is its decision, not a handler's. */
export interface ErrorForm {
  /** Content type of error answers, for the OpenAPI document. */
  readonly contentType: string;
  /** Of error bodies, if they are JSON. */
  readonly schema?: z.ZodType;
  refusal(refusal: Refusal): Reply;
  /** A thrown value. Unknown errors become a 500 without detail; the HTTP layer logs them. */
  thrown(error: unknown, requestId: string): Reply;
}

export interface CorsPolicy {
  /** Exact origins, or `*`. */
  readonly origins: readonly string[];
  /** What a preflight is told. Answers to other methods carry no CORS header, unless `closedMethods` is given. */
  readonly methods: readonly string[];
  /** Allowed request headers; `*` allows what the preflight asks for. */
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
  /** Status of the answer to a preflight from an origin that is not allowed. */
  readonly refusedStatus: number;
  /**
   * Methods whose answers carry no CORS header, all others do, whatever `methods` says; and OPTIONS without an
   * origin is answered as a preflight. For APIs that are open to every page.
   */
  readonly closedMethods?: readonly string[];
  /** Status of the answer to a preflight from an allowed origin. Default: 204. */
  readonly preflightStatus?: 200 | 204;
}

export interface ServiceApp {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly errors: ErrorForm;
  /** Limits of bodies on routes that read none. Default: 64 KiB. */
  readonly unreadBody?: LengthRules;
  readonly cors?: CorsPolicy;
  /** Host names, in lower case and without port, that requests may name; without the list any. Others get a 400. */
  readonly allowedHosts?: readonly string[];
  /** How many proxies stand in front, counted from the right of X-Forwarded-For; 0 trusts none. */
  readonly proxies: number;
  /** Headers of every answer beside the layer's own. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Where the documentation is, if the service has any. */
  readonly docs?: { readonly page: string; readonly json: string; readonly yaml: string };
  /** Why the service can't work yet, for `/readyz`; `undefined` when it can. Without it `/readyz` is not served. */
  readiness?(): string | undefined | Promise<string | undefined>;
  /** What the service counts beside its requests. */
  readonly metrics?: readonly Metric[];
  /** Told about unexpected errors. */
  readonly errorReports?: ErrorReports;
  /** Work to finish at a graceful stop, after the last request. */
  close?(): Promise<void>;
}
