/** Which transport serves. */
import type { Logger } from '../observe/log.js';
import { nodeTransport } from './node.js';
import type { Transport } from './transport.js';
import { loadUws } from './uws.js';

/**
 * The transport of that name; `auto` takes uWebSockets.js wherever its binary loads.
 *
 * @throws if `uws` is asked for and its binary does not load
 */
export function loadTransport(
  choice: 'auto' | 'uws' | 'node',
  log: Logger,
  load: () => Transport = loadUws,
): Transport {
  if (choice === 'node') return nodeTransport;
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
