/**
 * The transport over uWebSockets.js.
 *
 * Its parser handles the following before a handler sees the request (see `framing.test.ts`, `timeouts.test.ts`):
 * - no response, and the connection closes after about 10 s of silence: HTTP/1.0 and 2.0, obsolete line folding, NUL
 *   and other control characters, bare line feeds, more than 48 headers, absolute-form targets, chunk extensions, and
 *   bytes after the trailers of a chunked body. A reverse proxy must therefore use HTTP/1.1 (nginx:
 *   `proxy_http_version 1.1`);
 * - the connection closes immediately: missing Host, both Content-Length and Transfer-Encoding, unknown methods
 *   (QUERY, PROPFIND), a head above 4 KB that arrives in parts, and a request that is pipelined behind one whose
 *   response takes longer than one turn of the event loop;
 * - a header line with an empty name is ignored, and so are all header lines after it, even Content-Length. The
 *   interface does not show them, so only a proxy can reject such requests (nginx drops invalid header names);
 * - a body slower than 16 KB/s, or a response that the client does not read, is cut off after about 11 s;
 * - a Content-Length of ten digits or more: see {@link BODY_BYTES_MAX};
 * - bytes above 127 at the ends of a header value are removed like white space.
 */
import type { Linger } from './linger.js';
import type { Exchange, Listener, Transport } from './transport.js';
import {
  EXCLUSIVE_PORT,
  type ListenSocket,
  loadBinding,
  SHARED_PORT,
  type UwsBinding,
} from './uws-binding.js';
import { UwsExchange } from './uws-exchange.js';

/** The parser reads at most nine digits of a Content-Length. Chunked bodies are not limited. */
const BODY_BYTES_MAX = 999_999_999;

/**
 * Loads the transport.
 *
 * @throws if no binary exists for this platform and Node.js version
 */
export function loadUws(): Transport {
  const binding = loadBinding();
  return {
    name: 'uws',
    bodyBytesMax: BODY_BYTES_MAX,
    listen: (host, port, onExchange, _, sharesPort) =>
      listen(binding, { host, port, options: sharesPort ? SHARED_PORT : EXCLUSIVE_PORT }, onExchange),
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** Of the binding. */
  readonly options: number;
}

function listen(
  binding: UwsBinding,
  { host, port, options }: Address,
  onExchange: (exchange: Exchange) => void,
): Promise<Listener> {
  const app = binding.App();
  const lingering = new Set<Linger>();
  app.any('/*', (response, request) => {
    const exchange = new UwsExchange(response, request, lingering);
    onExchange(exchange);
    exchange.endFirstTurn();
  });
  return new Promise((resolve, reject) => {
    const onListening = (socket: ListenSocket | false) => {
      if (socket === false) return reject(new Error(`cannot listen on ${host}:${port}`));
      const stopListening = once(() => binding.us_listen_socket_close(socket));
      resolve({
        host,
        port: binding.us_socket_local_port(socket),
        stopListening,
        close: async () => {
          stopListening();
          for (const response of lingering) response.end();
          await new Promise(setImmediate);
          app.close();
        },
      });
    };
    app.listen(host, port, options, onListening);
  });
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) {
      done = true;
      work();
    }
  };
}
