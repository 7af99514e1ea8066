/** Chooses the transport. */
import type { Logger } from '../../platform/observe/log.js';
import type { Route } from '../routing/route.js';
import { nodeTransport } from './node.js';
import type { Transport } from './transport.js';
import { loadUws } from './uws.js';
import { NoBinary } from './uws-binding.js';

/**
 * `auto` uses uWebSockets.js up to this body limit, the default of uploads. uWebSockets.js can receive slightly less
 * (999,999,999 bytes), but giving up its speed for that difference is not worth it.
 */
const USUAL_BODY_BYTES_MAX = 1024 ** 3;

/** The largest body that a service accepts, in bytes. */
export function largestBody(routes: readonly Pick<Route, 'body'>[]): number {
  return Math.max(0, ...routes.map(({ body }) => body?.bytesMax ?? 0));
}

/**
 * Loads the named transport. `auto` chooses uWebSockets.js if its binary loads and the service accepts bodies of at
 * most 1 GiB.
 *
 * @param bodyBytes largest body that the service accepts
 * @throws if `choice` is `uws` and the binary does not load
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
      throw new Error(`ISCCD_TRANSPORT=uws: the binary does not load (${reason})`, { cause: error });
    const level = error instanceof NoBinary ? 'debug' : 'warn';
    log[level]({ reason }, 'uWebSockets.js does not load, using node:http');
    return nodeTransport;
  }
}
