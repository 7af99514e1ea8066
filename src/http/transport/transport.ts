/**
 * The port to an HTTP server, so that uWebSockets.js and node:http are interchangeable. The tests in `test/http` run
 * against both. Design: docs/design/transports.md.
 */
import type { RequestHead } from '../head/head.js';

export interface Transport {
  readonly name: 'uws' | 'node';
  /** Why it is used instead of uWebSockets.js, if that is not configured. */
  readonly reason?: string;
  /** Largest declared body that this server can receive, in bytes. */
  readonly bodyBytesMax: number;
  /**
   * Listens and calls `onExchange` for each request.
   *
   * @param unparsable builds the response to an unparsable request, if the transport allows one
   * @param sharesPort whether other processes of the same program listen on the address, too
   * @throws if it cannot listen; the message names host and port
   */
  listen(
    host: string,
    port: number,
    onExchange: (exchange: Exchange) => void,
    unparsable: (problem: Unparsable) => UnparsableResponse,
    sharesPort: boolean,
  ): Promise<Listener>;
}

/** Why a request is unparsable: the HTTP rule that it violates, or a URL or Content-Length beyond all limits. */
export type Unparsable =
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'target-too-long' }
  | { readonly kind: 'body-too-large' };

export interface UnparsableResponse {
  readonly status: number;
  /** Name, value, name, value ... */
  readonly headers: readonly string[];
  readonly body: string;
}

export interface Listener {
  readonly host: string;
  /** The actual port, also if 0 was requested. */
  readonly port: number;
  /** Stops accepting connections. Existing ones continue. */
  stopListening(): void;
  /** Closes all connections, after a short time for responses that are being sent. */
  close(): Promise<void>;
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Name, value, name, value ...; the transport adds Content-Length, Transfer-Encoding and Date. */
  readonly headers: readonly string[];
  /** Whether to close the connection after this response. */
  readonly close: boolean;
}

/**
 * One request and its response.
 *
 * Before control returns to the event loop, the caller must respond, {@link detach} or {@link refuse}. An unread body
 * is received and dropped.
 */
export interface Exchange {
  readonly head: RequestHead;
  /** The HTTP rule that the request violates; respond to it with {@link refuse}. */
  readonly malformed: string | undefined;
  /** IP address of the connection's other end. */
  readonly remoteAddress: string;
  /** Keeps the exchange alive past this turn. `onAborted` runs if the client disconnects before the response is complete. */
  detach(onAborted: () => void): void;
  /** Starts to deliver the body. The bytes are valid during the call. Call it in the first turn, at most once. */
  readBody(onBytes: (bytes: Uint8Array, last: boolean) => void): void;
  /** Delivered bytes in memory that stays valid. */
  keep(bytes: Uint8Array): Buffer;
  /** Stops reading from the client. Chunks that have already arrived may still be delivered. */
  pause(): void;
  resume(): void;
  /** Sends a complete response. */
  respond(head: ResponseHead, body: string | Uint8Array): void;
  /** Sends a response without body; `contentLength` is that of a GET, `undefined` for 204 and 304. */
  respondWithoutBody(head: ResponseHead, contentLength: number | undefined): void;
  /** Starts a response in pieces; `contentLength` is above 0, or `undefined` if unknown. */
  respondInPieces(head: ResponseHead, contentLength: number | undefined): ResponseStream;
  /** Responds and closes; later bytes on this connection are never parsed as a request. */
  refuse(head: ResponseHead, body: string): void;
}

/** Sends large bodies no faster than the client reads. */
export interface ResponseStream {
  /** Whether bytes that {@link offer} has taken stay in the piece's memory until {@link writable} resolves. */
  readonly holdsPieces: boolean;
  /** Sends the part of a non-empty piece that can be sent without waiting, and returns its length in bytes. */
  offer(piece: Uint8Array): number;
  /** Resolves when more can be sent; `false` means that the client has disconnected. Call it after each offer. */
  writable(): Promise<boolean>;
  /** Completes the response. With a known length, all bytes must have been written. */
  end(): void;
  /** Closes the connection, so that the client sees an incomplete response. */
  destroy(): void;
}
