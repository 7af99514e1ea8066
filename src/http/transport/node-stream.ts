/** Responses in pieces over node:http. */
import type { ServerResponse } from 'node:http';
import type { ResponseStream } from './transport.js';

/** Waits until each piece has left the process, so at most one piece of a response is in memory. */
export class NodeResponseStream implements ResponseStream {
  readonly #response: ServerResponse;
  /** Bytes of the declared length that are not written yet. */
  #missingBytes: number;
  #settle: ((alive: boolean) => void) | undefined;

  constructor(response: ServerResponse, contentLength: number | undefined) {
    this.#response = response;
    this.#missingBytes = contentLength ?? 0;
  }

  write(piece: Uint8Array): Promise<boolean> {
    if (this.#response.destroyed) return Promise.resolve(false);
    this.#missingBytes -= piece.length;
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#response.write(piece, (error) => resolve(error === null || error === undefined));
    });
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
