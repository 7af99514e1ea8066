/** A service as the HTTP layer sees it: a route table and an error form. */
import type { z } from 'zod';
import type { ErrorReports } from '../../platform/observe/error-client.js';
import type { Metric } from '../../platform/observe/instruments.js';
import type { AllowedHosts } from '../head/allowed-hosts.js';
import type { LengthRules, Reply, Route } from './route.js';

/** A schema violation in one part of a request. The service renders it in its own error form. */
export interface Violation {
  readonly where: 'params' | 'query' | 'headers' | 'body';
  /** Path inside the part, e.g. `['name']`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The value at the path. */
  readonly input?: unknown;
}

/** Reasons for which the HTTP layer itself refuses a request. */
export type Refusal =
  /** The request violates HTTP; the connection is closed after the response. 400. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** The transport does not read a URL of this length; the connection is closed after the response. 414. */
  | { readonly kind: 'target-too-long' }
  | { readonly kind: 'not-found'; readonly path: string; readonly query?: string }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'invalid'; readonly violations: readonly Violation[] }
  | { readonly kind: 'body-not-json'; readonly message: string }
  /** `accepted`: media types of the route; absent if it accepts any. */
  | { readonly kind: 'body-empty'; readonly accepted?: readonly string[] | undefined }
  | { readonly kind: 'body-too-large'; readonly bytesMax: number }
  /** 411. */
  | { readonly kind: 'length-required' }
  /** The bodies of other requests take the memory; 503. The layer adds Retry-After. */
  | { readonly kind: 'memory-full' }
  /** The content has another ETag than If-Match names; 412. */
  | { readonly kind: 'precondition-failed' }
  /** The Range starts past the end; 416. The layer adds Content-Range. */
  | { readonly kind: 'range-unsatisfiable'; readonly size: number }
  | { readonly kind: 'media-type'; readonly accepted: readonly string[] };

export interface ErrorRenderer {
  refusal(refusal: Refusal): Reply;
  /** Renders a thrown value. Unknown errors become a 500 without detail; the HTTP layer logs them. */
  thrown(error: unknown, requestId: string): Reply;
  /** Whether the operator must learn of an error whose response is not 500. */
  isFault?(error: unknown): boolean;
}

interface ErrorBodies {
  /** Content type of error responses, for the OpenAPI document. */
  readonly contentType: string;
  /** Schema of error bodies, if they are JSON. */
  readonly schema?: z.ZodType;
}

/** Renders all errors of a service. Handlers never choose between JSON and plain text. */
export interface ErrorForm extends ErrorRenderer, ErrorBodies {
  /** RFC 9457 problem details, for requests that accept `application/problem+json`. */
  readonly problems?: ErrorRenderer & ErrorBodies;
}

export interface CorsPolicy {
  /** Exact origins, or `*`. */
  readonly origins: readonly string[];
  /** Methods listed in preflight responses. Responses to other methods have no CORS header, unless `closedMethods` is set. */
  readonly methods: readonly string[];
  /** Allowed request headers; `*` allows all headers that the preflight names. */
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
  /** Status of the preflight response to an origin that is not allowed. */
  readonly refusedStatus: number;
  /**
   * For APIs that are open to every page: responses to all methods except these have CORS headers, whatever `methods`
   * says, and OPTIONS without Origin is handled as a preflight.
   */
  readonly closedMethods?: readonly string[];
  /** Status of the preflight response to an allowed origin. Default: 204. */
  readonly preflightStatus?: 200 | 204;
}

/** The reason for not being ready, `undefined` if the service is ready, or both with further members of the response. */
export type Readiness =
  | string
  | undefined
  | { readonly reason: string | undefined; readonly details: Readonly<Record<string, unknown>> };

export interface ServiceApp {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly errors: ErrorForm;
  /** Limits of bodies on routes that ignore the body. Default: 64 KiB. */
  readonly unreadBody?: LengthRules;
  readonly cors?: CorsPolicy;
  /** Allowed hosts; others get 400. Default: any host. */
  readonly allowedHosts?: AllowedHosts;
  /** Number of trusted proxies in front, counted from the right of X-Forwarded-For; 0 trusts none. */
  readonly proxies: number;
  /** Headers of every response, in addition to the layer's own. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Documentation at `/docs`, with a description of each tag, if the service has any. */
  readonly docs?: { readonly tags: Readonly<Record<string, string>> };
  /** For `/readyz`: why the service is not ready; `undefined` if it is. Without this method, `/readyz` is 404. */
  readiness?(): Readiness | Promise<Readiness>;
  /** The service's metrics, in addition to those of its requests. */
  readonly metrics?: readonly Metric[];
  /** Local folders that the service writes to. Their free disk space is a metric. */
  readonly dataFolders?: readonly string[];
  /** Receives unexpected errors. */
  readonly errorReports?: ErrorReports;
  /** Runs when a graceful stop begins: ends responses that have no end. */
  endStreams?(): void;
  /** Runs at a graceful stop, after the last request. */
  close?(): Promise<void>;
}
