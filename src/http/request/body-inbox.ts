/** A body on its way from the transport to whoever reads it. */
import { ClientGone, RequestRefused } from '../reply/errors.js';
import type { BodyStream } from '../routing/route.js';
import type { Exchange } from '../transport/transport.js';

/** Above this many waiting bytes the client is held up. */
const WAITING_BYTES_MAX = 256 * 1024;

export interface BodyLimits {
  readonly declaredBytes: number | undefined;
  readonly bytesMax: number;
  readonly required: boolean;
}

interface Reader {
  readonly resolve: (result: IteratorResult<Buffer, undefined>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Holds what has arrived and is not read yet, pauses the client when that is much, and enforces the limit on
 * what arrives. One reader, in order.
 */
export class BodyInbox implements BodyStream {
  readonly declaredBytes: number | undefined;
  readonly #exchange: Exchange;
  readonly #limits: BodyLimits;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #arrivedBytes = 0;
  #complete = false;
  #failure: Error | undefined;
  #reader: Reader | undefined;

  constructor(exchange: Exchange, limits: BodyLimits) {
    this.declaredBytes = limits.declaredBytes;
    this.#exchange = exchange;
    this.#limits = limits;
    exchange.readBody((chunk, last) => this.#receive(chunk, last));
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.discard();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** The whole body. */
  async collect(): Promise<Buffer> {
    const { declaredBytes } = this;
    if (declaredBytes !== undefined) return this.#collectInto(Buffer.allocUnsafe(declaredBytes));
    const chunks: Buffer[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }

  /** Piece by piece as they come: joining a large body at its end would hold up the event loop. */
  async #collectInto(body: Buffer): Promise<Buffer> {
    let at = 0;
    for await (const chunk of this) {
      if (at === 0 && chunk.length === body.length) return chunk;
      body.set(chunk, at);
      at += chunk.length;
    }
    return body.subarray(0, at);
  }

  /** Nobody will read the rest, if there is any: an error takes longer to make than a small request to answer. */
  discard(): void {
    if (this.#complete && this.#chunks.length === 0) return;
    this.#fail(new Error('the body was discarded'));
  }

  /** The client is gone. A reader of an incomplete body is told. */
  abort(): void {
    if (!this.#complete) this.#fail(new ClientGone());
  }

  #receive(chunk: Buffer, last: boolean): void {
    if (this.#failure !== undefined) return;
    this.#arrivedBytes += chunk.length;
    if (last) this.#complete = true;
    const { bytesMax, required } = this.#limits;
    if (this.#arrivedBytes > bytesMax) {
      this.#fail(new RequestRefused({ kind: 'body-too-large', bytesMax }));
    } else if (last && required && this.#arrivedBytes === 0) {
      this.#fail(new RequestRefused({ kind: 'body-empty' }));
    } else {
      if (chunk.length > 0) this.#keep(chunk);
      this.#serve();
    }
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    // Who has sent all need not be held up; and a transport may count the time from when it goes on.
    if (this.#waitingBytes > WAITING_BYTES_MAX && !this.#complete) this.#exchange.pause();
  }

  #next(): Promise<IteratorResult<Buffer, undefined>> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#serve();
    });
  }

  /** Gives the waiting reader what it waits for, if it is there. */
  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const chunk = this.#chunks.shift();
    if (chunk === undefined && this.#failure === undefined && !this.#complete) return;
    this.#reader = undefined;
    if (chunk !== undefined) {
      this.#waitingBytes -= chunk.length;
      if (this.#waitingBytes <= WAITING_BYTES_MAX / 2) this.#exchange.resume();
      reader.resolve({ done: false, value: chunk });
    } else if (this.#failure !== undefined) {
      reader.reject(this.#failure);
    } else {
      reader.resolve({ done: true, value: undefined });
    }
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#chunks = [];
    this.#waitingBytes = 0;
    this.#exchange.resume();
    this.#serve();
  }
}
