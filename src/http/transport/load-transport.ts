/** Chooses the transport. */
import type { Logger } from '../../platform/observe/log.js';
import type { Route } from '../routing/route.js';
import { checkTransport } from './check-transport.js';
import { nodeTransport } from './node.js';
import type { Transport } from './transport.js';
import { loadUws } from './uws.js';
import { NoBinary } from './uws-binding.js';

/**
 * `auto` uses uWebSockets.js up to this body limit, the default of uploads. uWebSockets.js can receive slightly less
 * (999,999,999 bytes), but giving up its speed for that difference is not worth it.
 */
const USUAL_BODY_BYTES_MAX = 1024 ** 3;

/** Checks by loader: the services of a process use one binary, and the first one has checked it. */
const checks = new WeakMap<() => Transport, Promise<void>>();

/** The largest body that a service accepts, in bytes. */
export function largestBody(routes: readonly Pick<Route, 'body'>[]): number {
  return Math.max(0, ...routes.map(({ body }) => body?.bytesMax ?? 0));
}

/**
 * Loads the named transport. `auto` chooses uWebSockets.js if its binary loads and the service accepts bodies of at
 * most 1 GiB; `reason` of the other one says why not.
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
  if (choice === 'node') return nodeTransport;
  if (choice === 'auto' && bodyBytes > USUAL_BODY_BYTES_MAX)
    return { ...nodeTransport, reason: 'bodies may have more than 1 GiB' };
  try {
    return load();
  } catch (error) {
    return withoutUws(choice, log, error);
  }
}

/**
 * Loads the named transport as {@link loadTransport} does, and lets uWebSockets.js serve some requests that unsound builds
 * fail at, once per process. Without success it counts as not loading.
 *
 * @throws if `choice` is `uws` and the binary does not load or fails
 */
export async function provenTransport(
  choice: 'auto' | 'uws' | 'node',
  log: Logger,
  bodyBytes = 0,
  load: () => Transport = loadUws,
): Promise<Transport> {
  const transport = loadTransport(choice, log, bodyBytes, load);
  if (choice === 'node' || transport.name === 'node') return transport;
  const check = checks.get(load) ?? checkTransport(transport);
  checks.set(load, check);
  try {
    await check;
    return transport;
  } catch (error) {
    return withoutUws(choice, log, error);
  }
}

/** @throws if nothing else may be used */
function withoutUws(choice: 'auto' | 'uws', log: Logger, error: unknown): Transport {
  const reason = `uWebSockets.js: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  if (choice === 'uws')
    throw new Error(`ISCCD_TRANSPORT=uws does not work here (${reason})`, { cause: error });
  // Without a binary, the reason in the line `listening` is enough.
  if (!(error instanceof NoBinary)) log.warn({ reason }, 'uWebSockets.js fails, using node:http');
  return { ...nodeTransport, reason };
}
