/** The transport over node:http, for platforms without a binary of uWebSockets.js. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { NodeExchange } from './node-exchange.js';
import type { Exchange, Listener, Transport } from './transport.js';

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

function listen(host: string, port: number, onExchange: (exchange: Exchange) => void): Promise<Listener> {
  const server = createServer({
    keepAlive: true,
    keepAliveTimeout: IDLE_MS_MAX,
    headersTimeout: IDLE_MS_MAX,
    // An upload may take as long as it needs while bytes arrive; the idle limit ends the others.
    requestTimeout: 0,
    connectionsCheckingInterval: 2000,
    maxHeaderSize: HEAD_BYTES_MAX,
  });
  const connections = new Connections(onExchange);
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
  readonly #exchanges = new WeakMap<Socket, NodeExchange>();
  /** Connections on which a request broke the rules: what follows there is not trusted to be a request. */
  readonly #refused = new WeakSet<Socket>();

  constructor(onExchange: (exchange: Exchange) => void) {
    this.#onExchange = onExchange;
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
    const status = CLIENT_ERRORS[error.code ?? ''] ?? '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
      socket.destroy(),
    );
  }

  onIdle(socket: Socket): void {
    const exchange = this.#exchanges.get(socket);
    // While a handler works, silence is ours, not the client's.
    if (exchange === undefined || exchange.isOver || exchange.waitsForClient) socket.destroy();
  }
}

const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
