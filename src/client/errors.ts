/** Errors, one class per family. An error response is a {@link ServiceError}; a missing one is a {@link ConnectionFailed}. */

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
