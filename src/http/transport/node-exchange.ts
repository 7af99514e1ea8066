/** One request and its answer over node:http. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { malformation, type RequestHead, RequestHeaders } from '../request/head.js';
import { NodeResponseStream } from './node-stream.js';
import type { Exchange, ResponseHead, ResponseStream } from './transport.js';

export class NodeExchange implements Exchange {
  readonly head: RequestHead;
  readonly malformed: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #expectsContinue: boolean;
  #reading = false;
  #stream: NodeResponseStream | undefined;
  #paused = false;

  constructor(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) {
    const [path, query] = splitTarget(request.url ?? '/');
    this.head = {
      method: request.method ?? '',
      path,
      query,
      headers: new RequestHeaders(headerLines(request.rawHeaders)),
    };
    this.malformed = request.httpVersionMajor === 1 ? malformation(this.head) : 'Unsupported HTTP version';
    this.#request = request;
    this.#response = response;
    this.#expectsContinue = expectsContinue;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  get isOver(): boolean {
    return this.#response.writableFinished || this.#response.destroyed;
  }

  /** Whether it is the client's turn: to send more of the body, or to take more of the answer. */
  get waitsForClient(): boolean {
    if (this.#stream !== undefined || this.#response.writableEnded) return true;
    return this.#reading && !this.#paused && !this.#request.readableEnded;
  }

  detach(onAborted: () => void): void {
    this.#response.once('close', () => {
      if (this.#response.writableFinished) return;
      this.#stream?.abort();
      onAborted();
    });
  }

  readBody(onChunk: (chunk: Buffer, last: boolean) => void): void {
    this.#reading = true;
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.#response.writeContinue();
    }
    this.#request.on('data', (chunk: Buffer) => onChunk(chunk, false));
    this.#request.once('end', () => onChunk(Buffer.alloc(0), true));
    // What ends a body early also ends the response: 'close' there reports it.
    this.#request.on('error', () => {});
  }

  pause(): void {
    this.#paused = true;
    this.#request.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#request.resume();
  }

  respond(head: ResponseHead, body: string | Uint8Array): void {
    if (this.#response.destroyed) return;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    this.#writeHead(head, ['Content-Length', String(length)]);
    this.#response.end(body);
    this.#discardBody();
  }

  respondWithoutBody(head: ResponseHead, contentLength: number | undefined): void {
    if (this.#response.destroyed) return;
    this.#writeHead(head, contentLength === undefined ? [] : ['Content-Length', String(contentLength)]);
    this.#response.end();
    this.#discardBody();
  }

  respondInPieces(head: ResponseHead, contentLength: number | undefined): ResponseStream {
    const length = contentLength === undefined ? [] : ['Content-Length', String(contentLength)];
    if (!this.#response.destroyed) this.#writeHead(head, length);
    this.#discardBody();
    this.#stream = new NodeResponseStream(this.#response, contentLength);
    return this.#stream;
  }

  refuse(head: ResponseHead, body: string): void {
    const { socket } = this.#request;
    this.#response.once('finish', () => socket.destroySoon());
    this.respond({ ...head, close: true }, body);
  }

  /** The rest of the body is read and dropped, so that the next request is found behind it. */
  #discardBody(): void {
    this.#request.removeAllListeners('data');
    this.#request.resume();
  }

  #writeHead({ status, headers, close }: ResponseHead, length: readonly string[]): void {
    // A client that waits for permission to send its body, and gets an answer instead, will not send it.
    const endsHere = close || this.#expectsContinue;
    const lines = endsHere ? [...headers, ...length, 'Connection', 'close'] : [...headers, ...length];
    this.#response.writeHead(status, lines);
  }
}

/** Names in lower case, values decoded. */
function headerLines(raw: readonly string[]): string[] {
  return raw.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : decodeValue(text)));
}

/** node:http reads header bytes as Latin-1; clients send UTF-8, and what is not gets replacement characters. */
function decodeValue(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;
}

/** Path and query of a target; scheme and authority of the absolute form (RFC 9112, 3.2.2) are dropped. */
function splitTarget(target: string): [path: string, query: string] {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const mark = local.indexOf('?');
  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)];
}
