/**
 * The end of a response that comes before the end of its request. Both transports close a connection as soon as its last
 * response has ended. If bytes of the request are unread then, the system resets the connection, and the client may lose the
 * response. So the end waits while the rest of the body arrives, as with `lingering_close` of nginx.
 */

/** A client that sends nothing for this time has stopped, and waits for the end of the response. */
const SILENCE_MS = 1_000;
/** Less than the time after which uWebSockets.js cuts a slow body off. */
const LINGER_MS_MAX = 5_000;
const LINGER_BYTES_MAX = 64 * 1024 * 1024;

export class Linger {
  readonly #all: Set<Linger>;
  readonly #end: () => void;
  readonly #silence: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout;
  #bytes = 0;

  /** @param all those of a server, to end them when it closes */
  constructor(all: Set<Linger>, end: () => void) {
    this.#all = all;
    this.#end = end;
    this.#silence = setTimeout(() => this.end(), SILENCE_MS);
    this.#limit = setTimeout(() => this.end(), LINGER_MS_MAX);
    all.add(this);
  }

  received(bytes: number, last: boolean): void {
    this.#bytes += bytes;
    // Later: until then, uWebSockets.js closes the connection if another request follows in this packet.
    if (last || this.#bytes > LINGER_BYTES_MAX) setImmediate(() => this.end());
    else this.#silence.refresh();
  }

  end(): void {
    if (this.forget()) this.#end();
  }

  /** The client has disconnected. Returns whether the response was open. */
  forget(): boolean {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
    return this.#all.delete(this);
  }
}
