/** Answers in pieces over node:http. */
import type { ServerResponse } from 'node:http';
import type { ResponseStream } from './transport.js';

/** Waits for each piece to leave the process: at most one piece of an answer is in memory. */
export class NodeResponseStream implements ResponseStream {
  readonly #response: ServerResponse;
  #settle: ((alive: boolean) => void) | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(piece: Uint8Array): Promise<boolean> {
    if (this.#response.destroyed) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#response.write(piece, (error) => resolve(error === null || error === undefined));
    });
  }

  end(): void {
    if (!this.#response.destroyed) this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  /** The client is gone. */
  abort(): void {
    this.#settle?.(false);
  }
}
