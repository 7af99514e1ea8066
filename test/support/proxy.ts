/** An HTTP proxy on this machine that records what it gets. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface RecordingProxy {
  readonly port: number;
  /** Address with the user name and password. */
  readonly url: string;
  /** Method and target of each request, also of refused ones. */
  readonly seen: string[];
  close(): Promise<void>;
}

const USER = 'user:pass%40word';
const EXPECTED = `Basic ${Buffer.from(decodeURIComponent(USER)).toString('base64')}`;

/** Every name that the proxy resolves is this machine. */
export async function recordingProxy(): Promise<RecordingProxy> {
  const seen: string[] = [];
  const sockets = new Set<Duplex>();
  const isAllowed = ({ method, url, headers }: IncomingMessage) => {
    seen.push(`${method} ${url}`);
    return headers['proxy-authorization'] === EXPECTED;
  };
  const server = createServer((request, response) => {
    if (isAllowed(request)) forward(request, response);
    else response.writeHead(407).end();
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {});
    if (!isAllowed(request)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const { port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    sockets.add(target);
    target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${USER}@127.0.0.1:${port}`,
    seen,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A request in the absolute form. */
function forward(request: IncomingMessage, response: ServerResponse): void {
  const { port, pathname, search } = new URL(request.url ?? '');
  const { 'proxy-authorization': _, ...headers } = request.headers;
  const target = { host: '127.0.0.1', port, path: pathname + search, method: request.method, headers };
  const forwarded = httpRequest(target, (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(response);
  });
  forwarded.on('error', () => response.writeHead(502).end());
  request.pipe(forwarded);
}
