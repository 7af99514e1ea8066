/** Connections through a proxy: `CONNECT`, and the absolute form of requests (RFC 9110, section 9.3.6; RFC 9112, 3.2.2). */
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type buildConnector, type Dispatcher, Pool } from 'undici';
import { failureReason } from '../failure-reason.js';
import { bareHost, portOf } from './proxy.js';

/** `code` of {@link ProxyFailed}. */
export const PROXY_FAILED = 'ISCCD_PROXY_FAILED';

/** The proxy is unreachable or refuses the connection. Nothing was sent to the server behind it. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed';
  readonly code = PROXY_FAILED;

  constructor(proxy: URL, problem: string, options?: ErrorOptions) {
    super(`the proxy ${proxy.protocol}//${proxy.host} ${problem}`, options);
  }
}

/** The header that identifies this process to the proxy; empty without user name. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * A connection to a host and port through a proxy.
 *
 * @throws {ProxyFailed} also if there is no connection after `timeoutMs`
 */
export function openTunnel(
  proxy: URL,
  { host, port }: { readonly host: string; readonly port: string },
  timeoutMs: number,
): Promise<Duplex> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const request = connectRequest(proxy, authority);
    const timer = setTimeout(() => request.destroy(new Error(`no response in ${timeoutMs} ms`)), timeoutMs);
    request.once('close', () => clearTimeout(timer));
    request.once('error', (cause) => {
      clearTimeout(timer);
      const problem = `could not connect to ${authority}: ${failureReason(cause)}`;
      reject(new ProxyFailed(proxy, problem, { cause }));
    });
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.on('error', () => {}).destroy();
      reject(new ProxyFailed(proxy, refusal(authority, statusCode)));
    });
    request.end();
  });
}

function connectRequest(proxy: URL, authority: string): ClientRequest {
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return request({
    host: bareHost(proxy.hostname),
    port: portOf(proxy),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    agent: false,
  });
}

function refusal(authority: string, status: number): string {
  // tinyproxy refuses wrong ones with 401.
  const hint = status === 407 || status === 401 ? ': check the user name and password in its address' : '';
  return `refuses the connection to ${authority} with status ${status}${hint}`;
}

/** The connection in a tunnel, once it is open: with TLS if the target has it. */
export function overTunnel(
  connect: buildConnector.connector,
  target: buildConnector.Options,
  tunnel: Promise<Duplex>,
  callback: buildConnector.Callback,
): void {
  const opened = (socket: Duplex) => {
    const inTunnel = socket as Socket;
    if (target.protocol === 'https:') connect({ ...target, httpSocket: inTunnel }, callback);
    else callback(null, inTunnel);
  };
  tunnel.then(opened, (error: Error) => callback(error, null));
}

/** Connections to a proxy that send requests for one http origin in the absolute form. */
export function forwardingPool(proxy: URL, origin: string, options: Pool.Options): Dispatcher {
  const { host } = new URL(origin);
  const added = { host, ...proxyAuthorization(proxy) };
  const pool = new Pool(proxy.origin, options);
  return pool.compose((dispatch) => (request, handler) => {
    const headers = { ...withoutHost(request.headers), ...added };
    return dispatch({ ...request, path: origin + request.path, headers }, handler);
  });
}

/** Headers as an object. undici's `fetch` and its `request` give different forms. */
function withoutHost(headers: Dispatcher.DispatchOptions['headers']): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of entriesOf(headers))
    if (name.toLowerCase() !== 'host' && value !== undefined) kept[name] = value;
  return kept;
}

type Entry = readonly [string, string | string[] | undefined];

function entriesOf(headers: Dispatcher.DispatchOptions['headers']): Iterable<Entry> {
  if (headers === null || headers === undefined) return [];
  if (Array.isArray(headers)) {
    const flat = headers as readonly string[];
    return flat.flatMap((name, at): Entry[] => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []));
  }
  if (Symbol.iterator in headers) return headers as Iterable<Entry>;
  return Object.entries(headers);
}
