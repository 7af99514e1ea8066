/**
 * The transport over uWebSockets.js.
 *
 * What its parser does by itself, before a handler sees the request (tested in `framing.test.ts`, `timeouts.test.ts`):
 * - no answer, and a closed connection after about 10 s of silence: HTTP/1.0 and 2.0, obsolete line folding, NUL and
 *   other control characters, bare line feeds, more than 48 headers, absolute-form targets, chunk extensions, and
 *   whatever comes behind the trailers of a chunked body.
 *   A reverse proxy must speak HTTP/1.1 (nginx: `proxy_http_version 1.1`);
 * - connection closed at once: missing Host, Content-Length beside Transfer-Encoding, methods it does not know
 *   (QUERY, PROPFIND), a head above
 *   4 KB that comes in parts, and a request that is pipelined behind one whose answer takes longer than its turn;
 * - a body slower than 16 KB/s, or an answer that nobody reads, is cut off after about 11 s;
 * - a Content-Length of ten digits and more: see {@link BODY_BYTES_MAX};
 * - bytes above 127 at the ends of a header value are lost, as if they were white space.
 */
import type { Exchange, Listener, Transport } from './transport.js';
import { EXCLUSIVE_PORT, type ListenSocket, loadBinding, type UwsBinding } from './uws-binding.js';
import { UwsExchange } from './uws-exchange.js';

/** Its parser reads at most nine digits of a Content-Length. Chunked bodies have no such limit. */
const BODY_BYTES_MAX = 999_999_999;

/**
 * Loads the transport.
 *
 * @throws if there is no binary for this platform and Node.js version
 */
export function loadUws(): Transport {
  const binding = loadBinding();
  return {
    name: 'uws',
    bodyBytesMax: BODY_BYTES_MAX,
    listen: (host, port, onExchange) => listen(binding, host, port, onExchange),
  };
}

function listen(
  binding: UwsBinding,
  host: string,
  port: number,
  onExchange: (exchange: Exchange) => void,
): Promise<Listener> {
  const app = binding.App();
  app.any('/*', (response, request) => {
    const exchange = new UwsExchange(response, request);
    onExchange(exchange);
    exchange.firstTurnIsOver();
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
          await new Promise(setImmediate);
          app.close();
        },
      });
    };
    // A port that is shared with a second process would lose half of its connections to that one.
    app.listen(host, port, EXCLUSIVE_PORT, onListening);
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
