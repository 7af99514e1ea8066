/** One request and its answer over uWebSockets.js. */

import { statusLine } from '../reply/status.js';
import { malformation, type RequestHead, RequestHeaders } from '../request/head.js';
import type { Exchange, ResponseHead, ResponseStream } from './transport.js';
import type { UwsRequest, UwsResponse } from './uws-binding.js';
import { UwsResponseStream } from './uws-stream.js';

/** Answers are collected in a buffer of this size, which is lost if the parser then closes the connection. */
const CORK_BYTES = 16 * 1024;

export class UwsExchange implements Exchange {
  readonly head: RequestHead;
  readonly malformed: string | undefined;
  readonly #response: UwsResponse;
  /** uWS can't parse this length: it closes the connection as soon as the handler returns. */
  readonly #doomed: boolean;
  #remoteAddress: string | undefined;
  #inFirstTurn = true;
  #paused = false;
  /** The answer is complete or the client is gone: the response object must not be touched again. */
  #over = false;
  #stream: UwsResponseStream | undefined;
  #onAborted: (() => void) | undefined;

  constructor(response: UwsResponse, request: UwsRequest) {
    const lines: string[] = [];
    request.forEach((name, value) => {
      lines.push(name, value);
    });
    this.head = {
      method: request.getMethod().toUpperCase(),
      path: request.getUrl(),
      query: request.getQuery() ?? '',
      headers: new RequestHeaders(lines),
    };
    this.malformed = malformation(this.head);
    // Of several lengths uWS reads the first, and an empty one as none.
    this.#doomed = !/^\d{0,9}$/.test(this.head.headers.first('content-length') ?? '');
    this.#response = response;
  }

  get remoteAddress(): string {
    if (this.#remoteAddress === undefined) {
      this.#remoteAddress = this.#over ? '' : Buffer.from(this.#response.getRemoteAddressAsText()).toString();
    }
    return this.#remoteAddress;
  }

  firstTurnIsOver(): void {
    this.#inFirstTurn = false;
    // uWS ends the process if a handler returns with neither.
    if (!this.#over && this.#onAborted === undefined) this.detach(() => {});
  }

  detach(onAborted: () => void): void {
    this.#onAborted = onAborted;
    // After an abort the connection can't be asked any more.
    void this.remoteAddress;
    this.#response.onAborted(() => {
      this.#over = true;
      this.#stream?.abort();
      this.#onAborted?.();
    });
  }

  readBody(onChunk: (chunk: Buffer, last: boolean) => void): void {
    this.#response.onData((memory, last) => {
      // The memory is taken away when this function returns.
      if (!this.#over) onChunk(Buffer.copyBytesFrom(new Uint8Array(memory)), last);
    });
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
    this.#finish(head, (response) => response.end(this.#flushed(body), head.close));
  }

  respondWithoutBody(head: ResponseHead, contentLength: number | undefined): void {
    const headers = [...head.headers];
    if (contentLength !== undefined) headers.push('Content-Length', String(contentLength));
    if (head.close) headers.push('Connection', 'close');
    // Given a length, uWS would wait for that many bytes and cut the connection off at the next request.
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
    if (this.#doomed) {
      this.respond(head, body);
      return;
    }
    // An answered exchange would let the parser go on to what follows in the same packet. As long as the answer
    // is due, uWS breaks the connection when it meets another request.
    this.detach(() => {});
    this.pause();
    setImmediate(() => this.respond({ ...head, close: true }, body));
  }

  #finish(head: ResponseHead, end: (response: UwsResponse) => void): void {
    if (this.#over) return;
    // A connection that is still paused after its answer would never be read again.
    this.resume();
    this.#over = true;
    const answer = () => {
      writeHeadTo(this.#response, head);
      end(this.#response);
    };
    if (this.#inFirstTurn) answer();
    else this.#response.cork(answer);
  }

  /** White space after the body makes a doomed answer leave at once, instead of with the buffer. */
  #flushed(body: string | Uint8Array): string | Uint8Array {
    return this.#doomed && typeof body === 'string' ? body.padEnd(CORK_BYTES + 1) : body;
  }
}

/**
 * Writes status and header lines in as few calls as there can be: uWS copies a value as it is, so all lines go as the
 * rest of the first one's value. A call per line costs a tenth of a small request. Names and values can't hold a line
 * break here: `responseHead` has checked them.
 */
function writeHeadTo(response: UwsResponse, { status, headers }: ResponseHead): void {
  // What uWS writes by itself if told nothing.
  if (status !== 200) response.writeStatus(statusLine(status));
  const [name, first] = headers;
  if (name === undefined || first === undefined) return;
  let lines = first;
  for (let i = 2; i < headers.length; i += 2) lines += `\r\n${headers[i]}: ${headers[i + 1]}`;
  response.writeHeader(name, lines);
}
