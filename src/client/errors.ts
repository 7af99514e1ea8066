/** What may go wrong, one class per family. An answer of a service is a {@link ServiceError}; none is a {@link ConnectionFailed}. */

/** The parts of an answer that tell why. */
export interface Failure {
  readonly status: number;
  /** Parsed if it was JSON, else its text. */
  readonly body: unknown;
  readonly requestId?: string | undefined;
  /** Milliseconds after which another try makes sense, as `Retry-After` said. */
  readonly retryAfterMs?: number | undefined;
}

/** The service refused, or could not do, what it was asked. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
  readonly status: number;
  /** The service's own name for it, e.g. `signingCredential.untrusted`, else `http.` and the status. */
  readonly code: string;
  readonly body: unknown;
  /** Stands in the service's log lines about this request. */
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

/** The request breaks a rule of the service: 400, 411, 413, 415, 416, 422 and what else is the client's fault. */
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

/** It exists already: 409. */
export class Conflict extends ServiceError {
  override readonly name = 'Conflict';
}

/** Too many requests of this client: 429. */
export class Throttled extends ServiceError {
  override readonly name = 'Throttled';
}

/** Busy, starting, full, or out of a proxy's reach: 502, 503, 504, 507. */
export class Unavailable extends ServiceError {
  override readonly name = 'Unavailable';
}

/** A fault in the service: every other status from 500 on. */
export class ServerFault extends ServiceError {
  override readonly name = 'ServerFault';
}

/** There was no answer, or it broke off. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';
  /** `false` when the connection was never made, so that the service can't have seen the request. */
  readonly mayBeReceived: boolean;

  constructor(url: string, mayBeReceived: boolean, cause: unknown) {
    super(`${url}: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, { cause });
    this.mayBeReceived = mayBeReceived;
  }
}

/** The error of the family that the status belongs to. */
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

/** JSON errors have a `detail`: a sentence, or a list of broken rules. The codes service answers a line of text. */
function message(status: number, body: unknown): string {
  const text = typeof body === 'string' ? body.trim() : member(body, 'detail');
  if (text !== undefined && text !== '') return text;
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : body;
  return `${status} ${JSON.stringify(detail)}`;
}

function member(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
}
