/**
 * Errors, one class per family. An error response is a {@link ServiceError}; a missing one is a {@link ConnectionFailed};
 * a success that does not come from such a service is an {@link InvalidResponse}.
 */

/** The parts of an error response. */
export interface Failure {
  readonly status: number;
  /** Parsed if it is JSON, otherwise text. */
  readonly body: unknown;
  readonly requestId?: string | undefined;
  /** `Retry-After` in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The service returned an error. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
  readonly status: number;
  /** The service's error code, e.g. `signingCredential.untrusted`; otherwise `http.` and the status. */
  readonly code: string;
  readonly body: unknown;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ status, body, requestId, retryAfterMs }: Failure) {
    super(message(status, body));
    this.status = status;
    this.code = member(body, 'code') ?? `http.${status}`;
    this.body = body;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The request is invalid: 400, 411, 413, 415, 416, 422 and all other 4xx that have no class below. */
export class InvalidRequest extends ServiceError {
  override readonly name = 'InvalidRequest';
}

/** The key or token is missing or wrong, or the caller is not the uploader: 401, 403. */
export class AccessDenied extends ServiceError {
  override readonly name = 'AccessDenied';
}

/** Unknown, expired or deleted: 404, 410. */
export class NotFound extends ServiceError {
  override readonly name = 'NotFound';
}

/** The resource already exists: 409. */
export class Conflict extends ServiceError {
  override readonly name = 'Conflict';
}

/** Too many requests from this client: 429. */
export class Throttled extends ServiceError {
  override readonly name = 'Throttled';
}

/** The service is busy, starting, out of disk space or unreachable for its proxy: 502, 503, 504, 507. */
export class Unavailable extends ServiceError {
  override readonly name = 'Unavailable';
}

/** The service failed: any other 5xx. */
export class ServerFault extends ServiceError {
  override readonly name = 'ServerFault';
}

/** There was no response, or it was incomplete. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';
  /** `false` if the connection failed, so that the service cannot have received the request. */
  readonly mayBeReceived: boolean;

  constructor(url: string, mayBeReceived: boolean, cause: unknown) {
    super(`${url}: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, { cause });
    this.mayBeReceived = mayBeReceived;
  }
}

/** What an {@link InvalidResponse} keeps of the response. */
export type UnexpectedResponse = Pick<InvalidResponse, 'status' | 'body' | 'contentType' | 'requestId'>;

/** Characters of the body in the message. */
const BODY_SHOWN_CHARACTERS = 60;

/** A complete response with a status of success that does not have the form of the operation. It is not retried. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
  readonly status: number;
  /** The whole text. */
  readonly body: string;
  readonly contentType: string | undefined;
  readonly requestId: string | undefined;

  /** @param rule what the body should be, e.g. `JSON` */
  constructor(url: string, rule: string, { status, body, contentType, requestId }: UnexpectedResponse) {
    // Control characters could change the terminal that shows the message.
    const text = body.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    const start = text.length > BODY_SHOWN_CHARACTERS ? `${text.slice(0, BODY_SHOWN_CHARACTERS)}…` : text;
    const found = start === '' ? 'it is empty' : `it is ${start}`;
    const way = 'check that the base URL leads to the service and not to another server or a login page';
    super(`${url}: the body of the response with status ${status} must be ${rule}, but ${found}; ${way}`);
    this.status = status;
    this.body = body;
    this.contentType = contentType;
    this.requestId = requestId;
  }
}

/** An argument breaks a rule. Nothing was sent and no work was started, unless a stream yields an invalid piece. */
export class InvalidArgument extends Error {
  override readonly name = 'InvalidArgument';
  readonly code = 'INVALID_ARGUMENT';
}

/** An error of the class that belongs to the status. */
export function serviceError(failure: Failure): ServiceError {
  switch (failure.status) {
    case 401:
    case 403:
      return new AccessDenied(failure);
    case 404:
    case 410:
      return new NotFound(failure);
    case 409:
      return new Conflict(failure);
    case 429:
      return new Throttled(failure);
    case 502:
    case 503:
    case 504:
    case 507:
      return new Unavailable(failure);
    default:
      if (failure.status >= 500) return new ServerFault(failure);
      return failure.status >= 400 ? new InvalidRequest(failure) : new ServiceError(failure);
  }
}

/** JSON errors have a `detail`: a sentence, or a list of violations. Errors of the codes service are a line of text. */
function message(status: number, body: unknown): string {
  const text = typeof body === 'string' ? body.trim() : member(body, 'detail');
  if (text !== undefined && text !== '') return text;
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : body;
  return violations(detail) ?? `${status} ${JSON.stringify(detail)}`;
}

/** E.g. `body.iscc_code: String should match …`; `undefined` if it is no list of violations. */
function violations(detail: unknown): string | undefined {
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  const rules = detail.map((violation: unknown) => member(violation, 'msg'));
  if (!rules.every((rule) => rule !== undefined)) return undefined;
  const places = detail.map(({ loc }: { loc?: unknown }) => (Array.isArray(loc) ? `${loc.join('.')}: ` : ''));
  return rules.map((rule, at) => `${places[at]}${rule}`).join('; ');
}

function member(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
}
