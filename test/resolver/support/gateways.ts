/** Gateways on this machine: valid, slow, endless, truncated, redirecting, broken. */
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const tls = (file: string) =>
  readFileSync(path.resolve(import.meta.dirname, `../../fixtures/resolver/tls/${file}`), 'utf8');

export const AUTHORITY = tls('authority.pem');

/** `bytes` bytes that start like a C2PA Manifest Store. */
export function storeBytes(bytes = 64): Buffer {
  const store = Buffer.alloc(bytes, 0x5a);
  store.writeUInt32BE(bytes, 0);
  store.write('jumb', 4, 'latin1');
  store.writeUInt32BE(40, 8);
  store.write('jumd', 12, 'latin1');
  Buffer.from('6332706100110010800000aa00389b71', 'hex').copy(store, 16);
  return store;
}

export type Kind =
  | 'store'
  | 'big-store'
  | 'short'
  | 'html'
  | 'timeout'
  | 'slow'
  | 'broken'
  | 'lying'
  | 'gzip'
  | 'no-location'
  | 'redirect-http'
  | 'redirect-inside'
  | `redirect-${number}`
  | `bytes-${number}`
  | `${number}`;

export interface Gateways {
  readonly https: number;
  readonly http: number;
  /** Behaviour by host name, path and query, or by path and query for all hosts. Redirects keep the path. */
  readonly kinds: Map<string, Kind>;
  /** Every request: path and query, headers, and the TLS server name. */
  readonly seen: { target: string; headers: IncomingMessage['headers']; servername: string | undefined }[];
  /** Body bytes sent by endless responses. */
  sentBytes: number;
  close(): Promise<void>;
}

export async function gateways(): Promise<Gateways> {
  const state = { kinds: new Map<string, Kind>(), seen: [] as Gateways['seen'], sentBytes: 0 };
  const sockets = new Set<Socket>();
  const ports = { https: 0, http: 0 };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? '';
    const [place = ''] = target.split('?left=');
    const host = request.headers.host?.replace(/:\d+$/, '');
    const kind = state.kinds.get(`${host}${place}`) ?? state.kinds.get(place) ?? '404';
    const { servername } = request.socket as Socket & { servername?: string };
    state.seen.push({ target, headers: request.headers, servername: servername || undefined });
    respond(kind, response, target, ports.http, (bytes) => {
      state.sentBytes += bytes;
    });
  };
  const servers = [
    https.createServer({ key: tls('server.key.pem'), cert: tls('server.pem') }, handle),
    http.createServer(handle),
  ] as const;
  for (const server of servers) {
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  ports.https = (servers[0].address() as AddressInfo).port;
  ports.http = (servers[1].address() as AddressInfo).port;
  return Object.assign(state, ports, {
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  });
}

function respond(
  kind: Kind,
  response: ServerResponse,
  target: string,
  httpPort: number,
  onSent: (bytes: number) => void,
): void {
  const [, hops] = /^redirect-(\d+)$/.exec(kind) ?? [];
  const [, size] = /^bytes-(\d+)$/.exec(kind) ?? [];
  const [, status] = /^(\d+)$/.exec(kind) ?? [];
  if (hops !== undefined) redirect(response, Number(hops), target);
  else if (size !== undefined) response.end(storeBytes(Number(size)));
  else if (status !== undefined) response.writeHead(Number(status)).end('no');
  else if (kind === 'store')
    response.writeHead(200, { 'Content-Type': 'application/c2pa' }).end(storeBytes());
  else if (kind === 'short') response.end(storeBytes(64).subarray(0, 31));
  else if (kind === 'html') response.end('<!doctype html><title>jumb jumd</title><p>This is no manifest.');
  else if (kind === 'big-store') endless(response, onSent);
  else if (kind === 'slow') drip(response);
  else if (kind === 'lying') response.writeHead(200, { 'Content-Length': '5000' }).write(storeBytes(100));
  else if (kind === 'broken') response.destroy();
  else if (kind === 'gzip')
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(storeBytes()));
  else if (kind === 'no-location') response.writeHead(302).end();
  else if (kind === 'redirect-inside') to(response, 'https://inside.example/manifests/x');
  else if (kind === 'redirect-http') to(response, `http://repo.example:${httpPort}/v1/manifests/x`);
  if (kind === 'lying') setTimeout(() => response.destroy(), 50);
}

/** Redirects to the same path, with one hop less to go. */
function redirect(response: ServerResponse, hops: number, target: string): void {
  const [bare = '', left = hops] = target.split('?left=');
  if (Number(left) === 0) response.end(storeBytes());
  else to(response, `${bare}?left=${Number(left) - 1}`);
}

function to(response: ServerResponse, location: string): void {
  response.writeHead(302, { Location: location }).end('moved');
}

function endless(response: ServerResponse, onSent: (bytes: number) => void): void {
  const more = () => {
    while (!response.destroyed) {
      onSent(64 * 1024);
      if (!response.write(Buffer.alloc(64 * 1024))) break;
    }
  };
  response.write(storeBytes(64));
  response.on('drain', more);
  more();
}

/** Sends one byte every 20 ms. */
function drip(response: ServerResponse): void {
  const bytes = storeBytes(4000);
  let at = 0;
  const timer = setInterval(() => {
    if (response.destroyed || at === bytes.length) clearInterval(timer);
    else response.write(bytes.subarray(at, ++at));
  }, 20);
}
