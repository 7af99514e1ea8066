/** The transport over node:http, for platforms without a uWebSockets.js binary. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Linger } from './linger.js';
import { NodeExchange } from './node-exchange.js';
import type { Exchange, Listener, Transport, Unparsable, UnparsableResponse } from './transport.js';

/** Closes a connection after this much silence, like uWebSockets.js. */
const IDLE_MS_MAX = 10_000;

/** How often the rates of bodies are checked. */
const RATE_CHECK_MS = 1000;

/** How long complete responses may take to be sent while the server closes. */
const DRAIN_MS_MAX = 500;

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
  unparsable: (problem: Unparsable) => UnparsableResponse,
  sharesPort: boolean,
): Promise<Listener> {
  const server = createServer({
    keepAlive: true,
    keepAliveTimeout: IDLE_MS_MAX,
    headersTimeout: IDLE_MS_MAX,
    // No limit on the duration of an upload; the idle limit closes stalled ones.
    requestTimeout: 0,
    connectionsCheckingInterval: 2000,
    maxHeaderSize: HEAD_BYTES_MAX,
  });
  const lingering = new Set<Linger>();
  const connections = new Connections(onExchange, unparsable, lingering);
  server.on('request', (request, response) => connections.onRequest(request, response, false));
  server.on('checkContinue', (request, response) => connections.onRequest(request, response, true));
  // The dispatcher refuses other expectations. Its response closes the connection, as for an unsent body.
  server.on('checkExpectation', (request, response) => connections.onRequest(request, response, true));
  server.on('clientError', (error, socket) => connections.onClientError(error, socket as Socket));
  server.setTimeout(IDLE_MS_MAX, (socket) => connections.onIdle(socket));
  const rates = setInterval(() => connections.endSlow(), RATE_CHECK_MS).unref();
  server.once('close', () => clearInterval(rates));
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`cannot listen on ${host}:${port}`, { cause })));
    // In a worker of node:cluster, a shared address is that of the primary process.
    server.listen({ host, port, exclusive: !sharesPort }, () => resolve(listener(server, host, lingering)));
  });
}

function listener(server: Server, host: string, lingering: Set<Linger>): Listener {
  const closed = new Promise((resolve) => server.once('close', resolve));
  // The method of http.Server would close idle connections, too.
  const stopListening = () => {
    if (server.listening) net.Server.prototype.close.call(server);
  };
  return {
    host,
    port: (server.address() as AddressInfo).port,
    stopListening,
    close: async () => {
      stopListening();
      for (const response of lingering) response.end();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS_MAX);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** An error of node's HTTP parser, with its own description, the last packet and how far it was parsed. */
type ParserError = NodeJS.ErrnoException & {
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
};

/**
 * Whether the URL makes the head too large. It fills the packet up to there; only one header value without white space
 * that is as large looks the same.
 */
function overflowsInTarget({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  return rawPacket !== undefined && !/\s/.test(rawPacket.toString('latin1', 0, bytesParsed));
}

/** Tracks the current exchange of each connection. */
class Connections {
  readonly #onExchange: (exchange: Exchange) => void;
  readonly #unparsable: (problem: Unparsable) => UnparsableResponse;
  readonly #exchanges = new WeakMap<Socket, NodeExchange>();
  /** Exchanges whose body has not arrived. */
  readonly #arriving = new Set<NodeExchange>();
  /** Connections with a malformed request. Bytes that follow it must not be parsed as a request. */
  readonly #refused = new WeakSet<Socket>();

  readonly #lingering: Set<Linger>;

  constructor(
    onExchange: (exchange: Exchange) => void,
    unparsable: (problem: Unparsable) => UnparsableResponse,
    lingering: Set<Linger>,
  ) {
    this.#onExchange = onExchange;
    this.#unparsable = unparsable;
    this.#lingering = lingering;
  }

  onRequest(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const { socket } = request;
    if (this.#refused.has(socket)) return;
    const exchange = new NodeExchange(request, response, expectsContinue, this.#lingering);
    if (exchange.malformed !== undefined) this.#refused.add(socket);
    this.#exchanges.set(socket, exchange);
    this.#arriving.add(exchange);
    const forget = () => this.#arriving.delete(exchange);
    request.once('end', forget);
    response.once('close', forget);
    this.#onExchange(exchange);
  }

  /** Ends connections whose body arrives too slowly. */
  endSlow(): void {
    const now = performance.now();
    for (const exchange of this.#arriving) if (exchange.isSlow(now)) exchange.destroy();
  }

  onClientError(error: ParserError, socket: Socket): void {
    // The response is sent and the connection is closing.
    if (this.#refused.has(socket)) return;
    const responsePending = this.#exchanges.get(socket)?.isOver === false;
    // Bytes sent in the middle of a response would be read as part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || responsePending) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    const { status, headers, body } = this.#responseTo(error);
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close'];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  }

  #responseTo(error: ParserError): UnparsableResponse {
    const { code, reason } = error;
    const malformed = (message: string) => this.#unparsable({ kind: 'malformed', message });
    switch (code) {
      case 'HPE_HEADER_OVERFLOW':
        return overflowsInTarget(error)
          ? this.#unparsable({ kind: 'target-too-long' })
          : { status: 431, headers: [], body: '' };
      case 'ERR_HTTP_REQUEST_TIMEOUT':
        return { status: 408, headers: [], body: '' };
      case 'HPE_INVALID_CONTENT_LENGTH':
      case 'HPE_UNEXPECTED_CONTENT_LENGTH':
        if (reason?.includes('overflow')) return this.#unparsable({ kind: 'body-too-large' });
        return malformed('Invalid Content-Length');
      case 'HPE_INVALID_TRANSFER_ENCODING':
        return malformed('Invalid Transfer-Encoding');
      default:
        return malformed('Invalid request');
    }
  }

  onIdle(socket: Socket): void {
    const exchange = this.#exchanges.get(socket);
    // While a handler works, the silence is not the client's fault.
    if (exchange === undefined || exchange.isOver || exchange.waitsForClient) socket.destroy();
  }
}
