/**
 * What the layer needs from an HTTP server, so that uWebSockets.js and node:http are interchangeable.
 * One suite, `test/http/transport`, runs against every implementation.
 */
import type { RequestHead } from '../request/head.js';

export interface Transport {
  readonly name: 'uws' | 'node';
  /** Largest declared body that this server can receive, in bytes. */
  readonly bodyBytesMax: number;
  /**
   * Listens and calls `onExchange` for each request.
   *
   * @param unreadable words the answer to what is no request, where the transport lets it be worded: told which rule
   *   of HTTP is broken
   * @throws if the address can't be listened on; the message names host and port
   */
  listen(
    host: string,
    port: number,
    onExchange: (exchange: Exchange) => void,
    unreadable: (message: string) => UnreadableAnswer,
  ): Promise<Listener>;
}

export interface UnreadableAnswer {
  readonly status: number;
  /** Name, value, name, value ... */
  readonly headers: readonly string[];
  readonly body: string;
}

export interface Listener {
  readonly host: string;
  /** The port in use, also when 0 was asked for. */
  readonly port: number;
  /** Takes no more connections. Those that exist go on. */
  stopListening(): void;
  /** Ends every connection; what is being sent gets a moment to leave. */
  close(): Promise<void>;
}

/** Status and headers of an answer. */
export interface ResponseHead {
  readonly status: number;
  /** Name, value, name, value ...; the transport adds Content-Length, Transfer-Encoding and Date. */
  readonly headers: readonly string[];
  /** Whether the connection ends with this answer. */
  readonly close: boolean;
}

/**
 * One request and its answer.
 *
 * Until control returns to the event loop, one of these must have happened: the answer was given,
 * {@link detach} was called, or {@link refuse} was. A body that nobody reads is received and thrown away.
 */
export interface Exchange {
  readonly head: RequestHead;
  /** Why the request breaks HTTP's rules; it must be answered through {@link refuse}. */
  readonly malformed: string | undefined;
  /** The other end of the connection, an IP address. */
  readonly remoteAddress: string;
  /** Keeps the exchange alive past this turn. `onAborted` runs if the client goes before the answer is complete. */
  detach(onAborted: () => void): void;
  /** Starts to deliver the body. A chunk's memory belongs to the callee. To be called in the first turn, at most once. */
  readBody(onChunk: (chunk: Buffer, last: boolean) => void): void;
  /** Stops reading from the client. Chunks that are already here may still come. */
  pause(): void;
  resume(): void;
  /** The whole answer in one go. */
  respond(head: ResponseHead, body: string | Uint8Array): void;
  /** An answer without body; `contentLength` is what a GET would have had, `undefined` for 204 and 304. */
  respondWithoutBody(head: ResponseHead, contentLength: number | undefined): void;
  /** An answer that is sent piece by piece; `contentLength` is above 0, or `undefined` if it is not known. */
  respondInPieces(head: ResponseHead, contentLength: number | undefined): ResponseStream;
  /** Answers and closes; nothing that follows on this connection is taken for a request. */
  refuse(head: ResponseHead, body: string): void;
}

/** The one way that large bodies leave: no more is sent than the client takes. */
export interface ResponseStream {
  /**
   * Sends a piece that is not empty. The promise settles when the piece's memory is free again and the next
   * may be sent; `false` means that the client is gone.
   */
  write(piece: Uint8Array): Promise<boolean>;
  /** Completes the answer. With a known length all of it must have been written. */
  end(): void;
  /** Breaks the connection, so that the client sees that the answer is not complete. */
  destroy(): void;
}
