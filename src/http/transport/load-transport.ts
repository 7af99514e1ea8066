/** Which transport serves. */
import type { Logger } from '../../observe/log.js';
import type { Route } from '../routing/route.js';
import { nodeTransport } from './node.js';
import type { Transport } from './transport.js';
import { loadUws } from './uws.js';

/** The usual limit of an upload, a little more than uWebSockets.js takes in one piece: not worth its speed. */
const USUAL_BODY_BYTES_MAX = 1024 ** 3;

/** The largest body that a service takes. */
export function largestBody(routes: readonly Pick<Route, 'body'>[]): number {
  return Math.max(0, ...routes.map(({ body }) => body?.bytesMax ?? 0));
}

/**
 * The transport of that name; `auto` takes uWebSockets.js wherever its binary loads and bodies of up to
 * `bodyBytes` are not far more than it can read.
 *
 * @throws if `uws` is asked for and its binary does not load
 */
export function loadTransport(
  choice: 'auto' | 'uws' | 'node',
  log: Logger,
  bodyBytes = 0,
  load: () => Transport = loadUws,
): Transport {
  if (choice === 'node' || (choice === 'auto' && bodyBytes > USUAL_BODY_BYTES_MAX)) return nodeTransport;
  try {
    return load();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    if (choice === 'uws')
      throw new Error(`ISCCD_TRANSPORT=uws: its binary does not load (${reason})`, { cause: error });
    log.warn({ reason }, 'uWebSockets.js does not load here: serving with node:http');
    return nodeTransport;
  }
}
