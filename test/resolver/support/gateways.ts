/** Gateways on this machine: valid, slow, endless, truncated, redirecting, broken. */
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { manifestIdIn } from '../../../src/c2pa/manifest-url.js';

const tls = (file: string) =>
  readFileSync(path.resolve(import.meta.dirname, `../../fixtures/resolver/tls/${file}`), 'utf8');

export const AUTHORITY = tls('authority.pem');

/** Label of the manifest in {@link storeBytes}. */
export const LABEL = 'urn:c2pa:1:acme/x';

/** A whole Manifest Store of at least `bytes` bytes, whose active manifest has a claim signature and a label. */
export function storeBytes(bytes = 0, label = LABEL): Buffer {
  const store = (padding: number) => {
    const signature = superbox('c2cs', 'c2pa.signature', box('cbor', byteString(padding)));
    return superbox('c2pa', 'c2pa', superbox('c2ma', label, signature));
  };
  return store(Math.max(0, bytes - store(0).length));
}

/** A Manifest Store with the id that an address ends with. */
function storeAt(target: string, bytes?: number): Buffer {
  return storeBytes(bytes, manifestIdIn(`https://repo.example${target}`) ?? LABEL);
}

function superbox(kind: string, label: string, ...children: Buffer[]): Buffer {
  const type = Buffer.concat([Buffer.from(kind, 'latin1'), Buffer.from('00110010800000aa00389b71', 'hex')]);
  const requestable = Buffer.from([3]);
  return box('jumb', box('jumd', type, requestable, Buffer.from(`${label}\0`)), ...children);
}

function box(kind: string, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.write(kind, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** CBOR. */
function byteString(length: number): Buffer {
  const bytes = Buffer.alloc(5 + length);
  bytes[0] = 0x5a;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

export type Kind =
  | 'store'
  | 'big-store'
  | 'short'
  | 'html'
  | 'start'
  | 'cut'
  | 'doubled'
  | 'padded'
  | 'other'
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

/** What begins like a Manifest Store, but is not the one with the id. */
const FORGED: Readonly<Record<string, (store: Buffer) => Buffer>> = {
  start: (store) => Buffer.concat([store.subarray(0, 32), Buffer.alloc(store.length - 32)]),
  cut: (store) => store.subarray(0, store.length / 2),
  doubled: (store) => Buffer.concat([store, store]),
  padded: (store) => Buffer.concat([store, Buffer.alloc(1)]),
  other: () => storeBytes(0, 'urn:c2pa:other'),
};

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
  else if (size !== undefined) response.end(storeAt(target, Number(size)));
  else if (status !== undefined) response.writeHead(Number(status)).end('no');
  else if (kind === 'store')
    response.writeHead(200, { 'Content-Type': 'application/c2pa' }).end(storeAt(target));
  else if (kind === 'short') response.end(storeAt(target).subarray(0, 31));
  else if (kind in FORGED) response.end(FORGED[kind]?.(storeAt(target)));
  else if (kind === 'html') response.end('<!doctype html><title>jumb jumd</title><p>This is no manifest.');
  else if (kind === 'big-store') endless(response, target, onSent);
  else if (kind === 'slow') drip(response, target);
  else if (kind === 'lying')
    response.writeHead(200, { 'Content-Length': '5000' }).write(storeAt(target, 100));
  else if (kind === 'broken') response.destroy();
  else if (kind === 'gzip')
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(storeAt(target)));
  else if (kind === 'no-location') response.writeHead(302).end();
  else if (kind === 'redirect-inside') to(response, 'https://inside.example/manifests/x');
  else if (kind === 'redirect-http') to(response, `http://repo.example:${httpPort}/v1/manifests/x`);
  if (kind === 'lying') setTimeout(() => response.destroy(), 50);
}

/** Redirects to the same path, with one hop less to go. */
function redirect(response: ServerResponse, hops: number, target: string): void {
  const [bare = '', left = hops] = target.split('?left=');
  if (Number(left) === 0) response.end(storeAt(target));
  else to(response, `${bare}?left=${Number(left) - 1}`);
}

function to(response: ServerResponse, location: string): void {
  response.writeHead(302, { Location: location }).end('moved');
}

function endless(response: ServerResponse, target: string, onSent: (bytes: number) => void): void {
  const more = () => {
    while (!response.destroyed) {
      onSent(64 * 1024);
      if (!response.write(Buffer.alloc(64 * 1024))) break;
    }
  };
  response.write(storeAt(target, 64));
  response.on('drain', more);
  more();
}

/** Sends one byte every 20 ms. */
function drip(response: ServerResponse, target: string): void {
  const bytes = storeAt(target, 4000);
  let at = 0;
  const timer = setInterval(() => {
    if (response.destroyed || at === bytes.length) clearInterval(timer);
    else response.write(bytes.subarray(at, ++at));
  }, 20);
}
