/** One request and its response over node:http. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { declaredLength, malformation, type RequestHead, RequestHeaders } from '../head/head.js';
import { Linger } from './linger.js';
import { NodeResponseStream } from './node-stream.js';
import type { Exchange, ResponseHead, ResponseStream } from './transport.js';

/** Bodies that arrive more slowly are cut, as uWebSockets.js does: their memory and their connection are not free. */
const BODY_BYTES_PER_SECOND_MIN = 16 * 1024;
/** Time over which the rate counts. */
const RATE_MS = 10_000;

export class NodeExchange implements Exchange {
  readonly head: RequestHead;
  readonly malformed: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #expectsContinue: boolean;
  #reading = false;
  #stream: NodeResponseStream | undefined;
  #paused = false;
  /** Start of the time over which the rate of the body counts, on the monotonic clock, and what has arrived since. */
  #rateSinceMs = 0;
  #rateBytes = 0;
  readonly #lingering: Set<Linger>;

  /** @param lingering responses of the server that wait for the rest of a body */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
    lingering: Set<Linger>,
  ) {
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
    this.#lingering = lingering;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  get isOver(): boolean {
    return this.#response.writableFinished || this.#response.destroyed;
  }

  /** Whether the server waits for the client to send more of the body or to read more of the response. */
  get waitsForClient(): boolean {
    if (this.#stream !== undefined || this.#response.writableEnded) return true;
    return this.#reading && !this.#paused && !this.#request.readableEnded;
  }

  /** Whether the body arrives too slowly, and not because the server has paused it. Call it about once a second. */
  isSlow(nowMs: number): boolean {
    if (!this.#reading || this.#paused || this.#request.readableEnded) {
      this.#restartRate();
      return false;
    }
    const ms = nowMs - this.#rateSinceMs;
    if (ms < RATE_MS) return false;
    const isSlow = this.#rateBytes < (ms / 1000) * BODY_BYTES_PER_SECOND_MIN;
    this.#restartRate();
    return isSlow;
  }

  #restartRate(): void {
    this.#rateSinceMs = performance.now();
    this.#rateBytes = 0;
  }

  /** Ends the connection without a response. */
  destroy(): void {
    this.#request.socket.destroy();
  }

  detach(onAborted: () => void): void {
    this.#response.once('close', () => {
      if (this.#response.writableFinished) return;
      this.#stream?.abort();
      onAborted();
    });
  }

  readBody(onBytes: (bytes: Uint8Array, last: boolean) => void): void {
    this.#reading = true;
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.#response.writeContinue();
    }
    this.#restartRate();
    this.#request.on('data', (chunk: Buffer) => {
      this.#rateBytes += chunk.length;
      onBytes(chunk, false);
    });
    this.#request.once('end', () => onBytes(Buffer.alloc(0), true));
    // An error here also closes the response, whose 'close' event reports it.
    this.#request.on('error', () => {});
  }

  /** Node does not reuse the memory. */
  keep(bytes: Uint8Array): Buffer {
    return bytes as Buffer;
  }

  pause(): void {
    this.#paused = true;
    this.#request.pause();
  }

  resume(): void {
    if (this.#paused) this.#restartRate();
    this.#paused = false;
    this.#request.resume();
  }

  respond(head: ResponseHead, body: string | Uint8Array): void {
    if (this.#response.destroyed) return;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const lingers = this.#mustLinger(head);
    this.#writeHead(head, ['Content-Length', String(length)]);
    if (lingers && length > 0) this.#response.write(body);
    this.#end(lingers, body);
  }

  respondWithoutBody(head: ResponseHead, contentLength: number | undefined): void {
    if (this.#response.destroyed) return;
    const lingers = this.#mustLinger(head);
    this.#writeHead(head, contentLength === undefined ? [] : ['Content-Length', String(contentLength)]);
    if (lingers) this.#response.flushHeaders();
    this.#end(lingers, undefined);
  }

  respondInPieces(head: ResponseHead, contentLength: number | undefined): ResponseStream {
    const length = contentLength === undefined ? [] : ['Content-Length', String(contentLength)];
    if (!this.#response.destroyed) this.#writeHead(head, length);
    // A handler may respond while it still reads the body.
    if (this.#reading) this.#response.once('finish', () => this.#discardBody());
    else this.#discardBody();
    this.#stream = new NodeResponseStream(this.#response, contentLength);
    return this.#stream;
  }

  refuse(head: ResponseHead, body: string): void {
    const { socket } = this.#request;
    this.#response.once('finish', () => socket.destroySoon());
    this.respond({ ...head, close: true }, body);
  }

  /** Whether an end of the response now would close the connection while the client sends its body. */
  #mustLinger({ close }: ResponseHead): boolean {
    const { complete } = this.#request;
    if (complete || this.malformed !== undefined || declaredLength(this.head) === 0) return false;
    return close || this.#expectsContinue || !this.#response.shouldKeepAlive;
  }

  #end(lingers: boolean, body: string | Uint8Array | undefined): void {
    if (!lingers) {
      this.#response.end(body);
      this.#discardBody();
      return;
    }
    const linger = new Linger(this.#lingering, () => this.#response.end());
    this.#response.once('close', () => linger.forget());
    this.#discardBody();
    this.#request.on('data', (chunk: Buffer) => linger.received(chunk.length, false));
    this.#request.once('end', () => linger.received(0, true));
  }

  /** Reads and drops the rest of the body, so that the parser reaches the next request. */
  #discardBody(): void {
    this.#request.removeAllListeners('data');
    this.#request.resume();
  }

  #writeHead({ status, headers, close }: ResponseHead, length: readonly string[]): void {
    // A client that waits for 100 Continue and gets a final response instead will not send its body.
    const endsHere = close || this.#expectsContinue;
    const lines = endsHere ? [...headers, ...length, 'Connection', 'close'] : [...headers, ...length];
    this.#response.writeHead(status, lines);
  }
}

/** Lower-case names, decoded values. */
function headerLines(raw: readonly string[]): string[] {
  return raw.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : decodeValue(text)));
}

/** node:http decodes header bytes as Latin-1, but clients send UTF-8. Invalid UTF-8 becomes replacement characters. */
function decodeValue(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;
}

/** Path and query of a target, without scheme and authority of the absolute form (RFC 9112, 3.2.2). */
function splitTarget(target: string): [path: string, query: string] {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const mark = local.indexOf('?');
  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)];
}
