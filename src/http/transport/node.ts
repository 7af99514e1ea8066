/** The transport over node:http, for platforms without a binary of uWebSockets.js. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { NodeExchange } from './node-exchange.js';
import type { Exchange, Listener, Transport, UnreadableAnswer } from './transport.js';

/** A connection on which nothing moves for this long is closed, as over the other transport. */
const IDLE_MS_MAX = 10_000;

/** How long answers that are complete may take to leave when everything closes. */
const LAST_WORDS_MS = 500;

const HEAD_BYTES_MAX = 64 * 1024;

export const nodeTransport: Transport = {
  name: 'node',
  bodyBytesMax: Number.MAX_SAFE_INTEGER,
  listen,
};

function listen(
  host: string,
  port: number,
  onExchange: (exchange: Exchange) => void,
  unreadable: (message: string) => UnreadableAnswer,
): Promise<Listener> {
  const server = createServer({
    keepAlive: true,
    keepAliveTimeout: IDLE_MS_MAX,
    headersTimeout: IDLE_MS_MAX,
    // An upload may take as long as it needs while bytes arrive; the idle limit ends the others.
    requestTimeout: 0,
    connectionsCheckingInterval: 2000,
    maxHeaderSize: HEAD_BYTES_MAX,
  });
  const connections = new Connections(onExchange, unreadable);
  server.on('request', (request, response) => connections.onRequest(request, response, false));
  server.on('checkContinue', (request, response) => connections.onRequest(request, response, true));
  server.on('clientError', (error, socket) => connections.onClientError(error, socket as Socket));
  server.setTimeout(IDLE_MS_MAX, (socket) => connections.onIdle(socket));
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`cannot listen on ${host}:${port}`, { cause })));
    server.listen({ host, port, exclusive: true }, () => resolve(listener(server, host)));
  });
}

function listener(server: Server, host: string): Listener {
  const closed = new Promise((resolve) => server.once('close', resolve));
  const stopListening = () => {
    if (server.listening) server.close();
    server.closeIdleConnections();
  };
  return {
    host,
    port: (server.address() as AddressInfo).port,
    stopListening,
    close: async () => {
      stopListening();
      const timer = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** What is going on on each connection. */
class Connections {
  readonly #onExchange: (exchange: Exchange) => void;
  readonly #unreadable: (message: string) => UnreadableAnswer;
  readonly #exchanges = new WeakMap<Socket, NodeExchange>();
  /** Connections on which a request broke the rules: what follows there is not trusted to be a request. */
  readonly #refused = new WeakSet<Socket>();

  constructor(onExchange: (exchange: Exchange) => void, unreadable: (message: string) => UnreadableAnswer) {
    this.#onExchange = onExchange;
    this.#unreadable = unreadable;
  }

  onRequest(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const { socket } = request;
    if (this.#refused.has(socket)) return;
    const exchange = new NodeExchange(request, response, expectsContinue);
    if (exchange.malformed !== undefined) this.#refused.add(socket);
    this.#exchanges.set(socket, exchange);
    this.#onExchange(exchange);
  }

  onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    // Such a connection has its answer, and is closing.
    if (this.#refused.has(socket)) return;
    const answerIsDue = this.#exchanges.get(socket)?.isOver === false;
    // Another text in the middle of an answer would be taken for a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || answerIsDue) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    const { status, headers, body } = this.#answerTo(error.code);
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close'];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  }

  /** @param code that the parser gives the error */
  #answerTo(code = ''): UnreadableAnswer {
    switch (code) {
      case 'HPE_HEADER_OVERFLOW':
        return { status: 431, headers: [], body: '' };
      case 'ERR_HTTP_REQUEST_TIMEOUT':
        return { status: 408, headers: [], body: '' };
      case 'HPE_INVALID_CONTENT_LENGTH':
      case 'HPE_UNEXPECTED_CONTENT_LENGTH':
        return this.#unreadable('Invalid Content-Length');
      case 'HPE_INVALID_TRANSFER_ENCODING':
        return this.#unreadable('Invalid Transfer-Encoding');
      default:
        return this.#unreadable('Invalid request');
    }
  }

  onIdle(socket: Socket): void {
    const exchange = this.#exchanges.get(socket);
    // While a handler works, silence is ours, not the client's.
    if (exchange === undefined || exchange.isOver || exchange.waitsForClient) socket.destroy();
  }
}
