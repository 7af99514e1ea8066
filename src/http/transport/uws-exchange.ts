/** One request and its response over uWebSockets.js. */

import { chunkOf } from '../../platform/chunk-memory.js';
import { malformation, type RequestHead, RequestHeaders } from '../head/head.js';
import { statusLine } from '../head/status.js';
import { Linger } from './linger.js';
import type { Exchange, ResponseHead, ResponseStream } from './transport.js';
import type { UwsRequest, UwsResponse } from './uws-binding.js';
import { UwsResponseStream } from './uws-stream.js';

/** uWS collects responses in a buffer of this size, which is lost if the parser then closes the connection. */
const CORK_BYTES = 16 * 1024;

export class UwsExchange implements Exchange {
  readonly head: RequestHead;
  readonly malformed: string | undefined;
  readonly #response: UwsResponse;
  /** uWS cannot parse this Content-Length and closes the connection as soon as the handler returns. */
  readonly #closedByParser: boolean;
  readonly #lingering: Set<Linger>;
  #remoteAddress: string | undefined;
  #inFirstTurn = true;
  #paused = false;
  /** The response is complete or the client has disconnected. The response object must not be used any more. */
  #over = false;
  #stream: UwsResponseStream | undefined;
  #onAborted: (() => void) | undefined;
  #onBytes: ((bytes: Uint8Array, last: boolean) => void) | undefined;
  #receives = false;
  #bodyEnded: boolean;
  /** The response waits for the rest of the body. */
  #waiting: Linger | undefined;

  /** @param lingering responses of the server that wait for the rest of a body */
  constructor(response: UwsResponse, request: UwsRequest, lingering: Set<Linger>) {
    const lines: string[] = [];
    request.forEach((name, value) => {
      lines.push(name, value);
    });
    this.head = {
      // Methods are case-sensitive; older builds do not accept others than in upper case.
      method: request.getCaseSensitiveMethod?.() ?? request.getMethod().toUpperCase(),
      path: request.getUrl(),
      query: request.getQuery() ?? '',
      headers: new RequestHeaders(lines),
    };
    // Some builds accept requests without Host.
    this.malformed = this.head.headers.count('host') === 0 ? 'Host is missing' : malformation(this.head);
    // uWS uses the first of several Content-Length lines, and treats an empty one as absent.
    const { headers } = this.head;
    const length = headers.first('content-length');
    this.#closedByParser = !/^\d{0,9}$/.test(length ?? '');
    this.#bodyEnded =
      length === undefined ? headers.first('transfer-encoding') === undefined : Number(length) === 0;
    this.#response = response;
    this.#lingering = lingering;
  }

  get remoteAddress(): string {
    if (this.#remoteAddress === undefined) {
      this.#remoteAddress = this.#over ? '' : Buffer.from(this.#response.getRemoteAddressAsText()).toString();
    }
    return this.#remoteAddress;
  }

  endFirstTurn(): void {
    this.#inFirstTurn = false;
    // uWS terminates the process if a handler returns without a response or an abort handler.
    if (!this.#over && this.#onAborted === undefined) this.detach(() => {});
    // A later response needs to know whether the body has arrived.
    if (!this.#over && !this.#bodyEnded) this.#receive();
  }

  detach(onAborted: () => void): void {
    this.#onAborted = onAborted;
    // Read it now: after an abort it is not available.
    void this.remoteAddress;
    this.#response.onAborted(() => {
      this.#over = true;
      if (this.#waiting?.forget()) return;
      this.#stream?.abort();
      this.#onAborted?.();
    });
  }

  readBody(onBytes: (bytes: Uint8Array, last: boolean) => void): void {
    this.#onBytes = onBytes;
    this.#receive();
  }

  keep(bytes: Uint8Array): Buffer {
    return chunkOf(bytes);
  }

  pause(): void {
    if (this.#over || this.#paused) return;
    this.#paused = true;
    this.#response.pause();
  }

  resume(): void {
    if (this.#over || !this.#paused) return;
    this.#paused = false;
    this.#response.resume();
  }

  respond(head: ResponseHead, body: string | Uint8Array): void {
    const isEarly = body.length > 0 && !head.close && this.#mustLinger(head);
    if (isEarly) this.#respondEarly(head, body);
    else this.#finish(head, (response) => response.end(this.#flushed(body), head.close));
  }

  respondWithoutBody(head: ResponseHead, contentLength: number | undefined): void {
    const headers = [...head.headers];
    if (contentLength !== undefined) headers.push('Content-Length', String(contentLength));
    if (head.close) headers.push('Connection', 'close');
    // If uWS knew the length, it would wait for that many bytes and close the connection at the next request.
    this.#finish({ ...head, headers }, (response) => response.endWithoutBody());
  }

  respondInPieces(head: ResponseHead, contentLength: number | undefined): ResponseStream {
    this.resume();
    const writeHead = () => writeHeadTo(this.#response, head);
    const onOver = () => {
      this.#over = true;
    };
    this.#stream = new UwsResponseStream(this.#response, contentLength, writeHead, onOver);
    if (this.#over) this.#stream.abort();
    return this.#stream;
  }

  refuse(head: ResponseHead, body: string): void {
    if (this.#closedByParser) {
      this.respond(head, body);
      return;
    }
    // Responding now would let the parser continue with later bytes of the same packet. While a response is pending,
    // uWS closes the connection when another request follows.
    this.detach(() => {});
    this.pause();
    setImmediate(() => this.respond({ ...head, close: true }, body));
  }

  #finish(head: ResponseHead, end: (response: UwsResponse) => void): void {
    if (this.#over) return;
    // A connection that stays paused after its response would never be read again.
    this.resume();
    const send = () => {
      writeHeadTo(this.#response, head);
      end(this.#response);
    };
    if (this.#mustLinger(head)) this.#linger(send);
    else {
      this.#over = true;
      this.#corked(send);
    }
  }

  /**
   * Sends the response in chunked coding, and ends it when the rest of the body has arrived. Only if the client wants the
   * connection closed: after `write`, uWebSockets.js puts a `Connection: close` of its own into the body.
   */
  #respondEarly(head: ResponseHead, body: string | Uint8Array): void {
    if (this.#over) return;
    this.resume();
    this.#corked(() => {
      writeHeadTo(this.#response, head);
      this.#response.write(typeof body === 'string' ? Buffer.from(body) : body);
    });
    this.#linger(() => this.#response.end());
  }

  /** Whether an end of the response now would close the connection while the client sends its body. */
  #mustLinger({ close }: ResponseHead): boolean {
    if (this.#bodyEnded || this.#closedByParser || this.malformed !== undefined) return false;
    return close || this.head.headers.get('connection')?.toLowerCase() === 'close';
  }

  /** Calls `end` when the rest of the body has arrived. */
  #linger(end: () => void): void {
    if (this.#onAborted === undefined) this.detach(() => {});
    this.#receive();
    this.#over = true;
    this.#waiting = new Linger(this.#lingering, () => this.#response.cork(end));
  }

  /** Receives the body, also without a reader. Call it in the first turn. */
  #receive(): void {
    if (this.#receives) return;
    this.#receives = true;
    this.#response.onData((memory, last) => {
      this.#bodyEnded = last;
      this.#waiting?.received(memory.byteLength, last);
      if (!this.#over) this.#onBytes?.(new Uint8Array(memory), last);
    });
  }

  #corked(send: () => void): void {
    if (this.#inFirstTurn) send();
    else this.#response.cork(send);
  }

  /** Pads a response that the parser would cut off with white space, so that uWS sends it immediately instead of buffering it. */
  #flushed(body: string | Uint8Array): string | Uint8Array {
    return this.#closedByParser && typeof body === 'string' ? body.padEnd(CORK_BYTES + 1) : body;
  }
}

/**
 * Writes status and headers in as few calls as possible. uWS copies a value unchanged, so all other lines are appended
 * to the first header's value; one call per line would cost a tenth of a small request. Names and values contain no
 * line breaks: `responseHead` has checked them.
 */
function writeHeadTo(response: UwsResponse, { status, headers }: ResponseHead): void {
  // 200 is the default of uWS.
  if (status !== 200) response.writeStatus(statusLine(status));
  const [name, first] = headers;
  if (name === undefined || first === undefined) return;
  let lines = first;
  for (let i = 2; i < headers.length; i += 2) lines += `\r\n${headers[i]}: ${headers[i + 1]}`;
  response.writeHeader(name, lines);
}
