/** Responses in pieces over uWebSockets.js. */
import type { ResponseStream } from './transport.js';
import type { UwsResponse } from './uws-binding.js';

/** Write offsets are 32-bit numbers, so differences within one piece are computed modulo this. */
const OFFSET_MODULUS = 2 ** 32;

/**
 * `end()` would copy to memory all bytes that the client does not read immediately. Pieces are therefore sent with
 * `tryEnd`, which takes only what the socket accepts, or with `write` if the length is unknown.
 */
export class UwsResponseStream implements ResponseStream {
  readonly holdsPieces = false;
  readonly #response: UwsResponse;
  readonly #contentLength: number | undefined;
  readonly #onOver: () => void;
  #writeHead: (() => void) | undefined;
  /** Whether the socket takes no more bytes at the moment. */
  #blocked = false;
  #settle: ((alive: boolean) => void) | undefined;
  #over = false;
  #aborted = false;

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

  offer(piece: Uint8Array): number {
    if (this.#over) return piece.length;
    let taken = 0;
    this.#response.cork(() => {
      this.#begin();
      taken = this.#send(piece);
    });
    return taken;
  }

  writable(): Promise<boolean> {
    if (this.#aborted || this.#over || !this.#blocked) return Promise.resolve(!this.#aborted);
    return new Promise((settle) => {
      this.#settle = settle;
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
    this.#aborted = true;
    this.#unblock(false);
  }

  #begin(): void {
    if (this.#writeHead === undefined) return;
    this.#writeHead();
    this.#writeHead = undefined;
    this.#response.onWritable(() => {
      this.#blocked = false;
      this.#unblock(true);
      return true;
    });
  }

  #send(piece: Uint8Array): number {
    if (this.#contentLength === undefined) {
      // False means that uWS holds the piece in its own memory until the client has read it.
      this.#blocked = !this.#response.write(piece);
      return piece.length;
    }
    const start = this.#response.getWriteOffset();
    const [ok, complete] = this.#response.tryEnd(piece, this.#contentLength);
    this.#blocked = !ok && !complete;
    if (complete) this.#finish();
    if (!this.#blocked) return piece.length;
    return (this.#response.getWriteOffset() - start + OFFSET_MODULUS) % OFFSET_MODULUS;
  }

  #unblock(alive: boolean): void {
    this.#settle?.(alive);
    this.#settle = undefined;
  }

  #finish(): void {
    this.#over = true;
    this.#onOver();
  }
}
