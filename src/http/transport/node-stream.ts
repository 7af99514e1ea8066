/** Responses in pieces over node:http. */
import type { ServerResponse } from 'node:http';
import type { ResponseStream } from './transport.js';

/** Takes each piece whole, and is writable again when it has left the process. */
export class NodeResponseStream implements ResponseStream {
  readonly holdsPieces = true;
  readonly #response: ServerResponse;
  /** Bytes of the declared length that are not written yet. */
  #missingBytes: number;
  #written: Promise<boolean> = Promise.resolve(true);
  #settle: ((alive: boolean) => void) | undefined;

  constructor(response: ServerResponse, contentLength: number | undefined) {
    this.#response = response;
    this.#missingBytes = contentLength ?? 0;
  }

  offer(piece: Uint8Array): number {
    if (this.#response.destroyed) return piece.length;
    this.#missingBytes -= piece.length;
    this.#written = new Promise((resolve) => {
      this.#settle = resolve;
      this.#response.write(piece, (error) => resolve(error === null || error === undefined));
    });
    return piece.length;
  }

  async writable(): Promise<boolean> {
    return !this.#response.destroyed && this.#written;
  }

  end(): void {
    if (this.#response.destroyed) return;
    if (this.#missingBytes > 0) this.#response.destroy();
    else this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  /** The client disconnected. */
  abort(): void {
    this.#settle?.(false);
  }
}
