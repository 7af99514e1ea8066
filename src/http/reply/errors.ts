/** Errors that the HTTP layer throws into handlers. Services let them propagate; the layer responds to them. */
import type { Refusal } from '../routing/service.js';

/** The HTTP layer refuses the request, possibly while its body is read. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`request refused: ${refusal.kind}`);
    this.refusal = refusal;
  }
}

/** The request has an Expect header that no server can meet; responds with 417. */
export class ExpectationFailed extends Error {
  override readonly name = 'ExpectationFailed';
}

/** The client closed the connection before the response was complete. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';

  constructor() {
    super('the client closed the connection');
  }
}

/** A response failed after its head was sent. The connection is already closed. */
export class ResponseFailed extends Error {
  override readonly name = 'ResponseFailed';

  constructor(cause: unknown) {
    super('the response failed after it had started', { cause });
  }
}
