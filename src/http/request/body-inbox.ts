/** Buffers a request body between the transport and its reader. */
import { ClientDisconnected, RequestRefused } from '../reply/errors.js';
import type { BodyStream } from '../routing/route.js';
import type { Exchange } from '../transport/transport.js';
import type { BodyShare } from './body-budget.js';
import { Gathered } from './gathered.js';

/** Pauses the client while more memory than this is unread. */
const WAITING_BYTES_MAX = 256 * 1024;
/** What a chunk takes in addition to its bytes. */
const CHUNK_BYTES = 128;

export interface BodyLimits {
  readonly declaredBytes: number | undefined;
  readonly bytesMax: number;
  readonly required: boolean;
  /** Memory for a body that is kept whole, or for what a reader keeps of it. */
  readonly share?: BodyShare | undefined;
  /** Media types, for the refusal of an empty body. */
  readonly accepted?: readonly string[] | undefined;
}

interface Reader {
  readonly resolve: (result: IteratorResult<Buffer, undefined>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Holds bytes that have arrived and are not read yet, pauses the client when there are too many, and enforces the
 * length limit on arriving bytes. One reader, in order.
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
  #take: ((bytes: Uint8Array) => boolean) | undefined;

  constructor(exchange: Exchange, limits: BodyLimits) {
    this.declaredBytes = limits.declaredBytes;
    this.#exchange = exchange;
    this.#limits = limits;
    exchange.readBody((bytes, last) => this.#receive(bytes, last));
  }

  offer(take: (bytes: Uint8Array) => boolean): void {
    this.#take = take;
  }

  reserve(bytes: number): void {
    if (this.#limits.share?.grow(bytes) === false) throw new RequestRefused({ kind: 'memory-full' });
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
    const body = new Gathered();
    let bytes = 0;
    for await (const chunk of this) {
      bytes += chunk.length;
      this.reserve(bytes);
      body.add(chunk);
    }
    return body.take();
  }

  /** Copies each chunk as it arrives: joining a large body at its end would block the event loop. */
  async #collectInto(body: Buffer): Promise<Buffer> {
    let at = 0;
    for await (const chunk of this) {
      if (at === 0 && chunk.length === body.length) return chunk;
      body.set(chunk, at);
      at += chunk.length;
    }
    return body.subarray(0, at);
  }

  /** Drops the unread rest. Does nothing if all is read: creating an error costs more than a small request. */
  discard(): void {
    if (this.#complete && this.#chunks.length === 0) return;
    this.#fail(new Error('the body was discarded'));
  }

  /** The client disconnected. The reader of an incomplete body gets an error. */
  abort(): void {
    if (!this.#complete) this.#fail(new ClientDisconnected());
  }

  #receive(bytes: Uint8Array, last: boolean): void {
    if (this.#failure !== undefined) return;
    this.#arrivedBytes += bytes.length;
    if (last) this.#complete = true;
    const { bytesMax, required, accepted } = this.#limits;
    if (this.#arrivedBytes > bytesMax) {
      this.#fail(new RequestRefused({ kind: 'body-too-large', bytesMax }));
    } else if (last && required && this.#arrivedBytes === 0) {
      this.#fail(new RequestRefused({ kind: 'body-empty', accepted }));
    } else {
      if (bytes.length > 0 && !this.#isTaken(bytes)) this.#store(this.#exchange.keep(bytes));
      this.#deliver();
    }
  }

  /** A reader that waits has all bytes that arrived before. */
  #isTaken(bytes: Uint8Array): boolean {
    return this.#reader !== undefined && (this.#take?.(bytes) ?? false);
  }

  #store(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length + CHUNK_BYTES;
    // Never pause after the last chunk: there is nothing to hold back, and resuming may start a transport's timer.
    if (this.#waitingBytes > WAITING_BYTES_MAX && !this.#complete) this.#exchange.pause();
  }

  #next(): Promise<IteratorResult<Buffer, undefined>> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#deliver();
    });
  }

  /** Passes the next chunk, the end or the failure to a waiting reader. */
  #deliver(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const chunk = this.#chunks.shift();
    if (chunk === undefined && this.#failure === undefined && !this.#complete) return;
    this.#reader = undefined;
    if (chunk !== undefined) {
      this.#waitingBytes -= chunk.length + CHUNK_BYTES;
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
    this.#deliver();
  }
}
