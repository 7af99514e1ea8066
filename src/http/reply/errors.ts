/** What the layer throws into handlers. Services let these pass: the layer knows how to answer them. */
import type { Refusal } from '../routing/service.js';

/** Something about the request that only shows while its body is read. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`request refused: ${refusal.kind}`);
    this.refusal = refusal;
  }
}

/** The client went away; nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client closed the connection');
  }
}

/** An answer had begun and could not be completed; the connection is broken already. */
export class AnswerBroken extends Error {
  override readonly name = 'AnswerBroken';

  constructor(cause: unknown) {
    super('the answer broke off', { cause });
  }
}
