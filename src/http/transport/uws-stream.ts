/** Responses in pieces over uWebSockets.js. */
import type { ResponseStream } from './transport.js';
import type { UwsResponse } from './uws-binding.js';

/** Write offsets are 32-bit numbers, so differences within one piece are computed modulo this. */
const OFFSET_MODULUS = 2 ** 32;

interface Waiting {
  readonly piece: Uint8Array;
  readonly startOffset: number;
  readonly settle: (alive: boolean) => void;
}

/**
 * `end()` would copy to memory all bytes that the client does not read immediately. Pieces are therefore sent with
 * `tryEnd` and `write`, and the rest of a piece waits for `onWritable`.
 */
export class UwsResponseStream implements ResponseStream {
  readonly #response: UwsResponse;
  readonly #contentLength: number | undefined;
  readonly #onOver: () => void;
  #writeHead: (() => void) | undefined;
  #waiting: Waiting | undefined;
  #over = false;

  constructor(
    response: UwsResponse,
    contentLength: number | undefined,
    writeHead: () => void,
    onOver: () => void,
  ) {
    this.#response = response;
    this.#contentLength = contentLength;
    this.#writeHead = writeHead;
    this.#onOver = onOver;
  }

  write(piece: Uint8Array): Promise<boolean> {
    if (this.#over) return Promise.resolve(false);
    let sent = false;
    let startOffset = 0;
    this.#response.cork(() => {
      this.#begin();
      startOffset = this.#response.getWriteOffset();
      sent = this.#send(piece);
    });
    if (sent) return Promise.resolve(true);
    return new Promise((settle) => {
      this.#waiting = { piece, startOffset, settle };
    });
  }

  end(): void {
    if (this.#over) return;
    this.#response.cork(() => {
      this.#begin();
      // With a known length, the last piece has already ended the response, unless pieces are missing.
      if (this.#contentLength === undefined) this.#response.end();
      else this.#response.close();
    });
    this.#finish();
  }

  destroy(): void {
    if (this.#over) return;
    this.#finish();
    this.#response.close();
  }

  /** The client disconnected. */
  abort(): void {
    this.#over = true;
    this.#waiting?.settle(false);
    this.#waiting = undefined;
  }

  #begin(): void {
    if (this.#writeHead === undefined) return;
    this.#writeHead();
    this.#writeHead = undefined;
    this.#response.onWritable((offset) => this.#onWritable(offset));
  }

  /** Whether the whole piece was sent. */
  #send(piece: Uint8Array): boolean {
    // False means that uWS holds the piece in its own memory until the client has read it.
    if (this.#contentLength === undefined) return this.#response.write(piece);
    const [ok, complete] = this.#response.tryEnd(piece, this.#contentLength);
    if (complete) this.#finish();
    return ok || complete;
  }

  #onWritable(offset: number): boolean {
    const waiting = this.#waiting;
    if (waiting === undefined) return true;
    if (this.#contentLength !== undefined) {
      const sent = (offset - waiting.startOffset + OFFSET_MODULUS) % OFFSET_MODULUS;
      if (sent < waiting.piece.length && !this.#send(waiting.piece.subarray(sent))) return false;
    }
    this.#waiting = undefined;
    waiting.settle(true);
    return true;
  }

  #finish(): void {
    this.#over = true;
    this.#onOver();
  }
}
