/** The transports of this Node.js. uWebSockets.js has binaries for some versions only. */
import { nodeTransport } from '../../src/http/transport/node.js';
import type { Transport } from '../../src/http/transport/transport.js';
import { loadUws } from '../../src/http/transport/uws.js';
import { NoBinary } from '../../src/http/transport/uws-binding.js';

/** Whether a binary of uWebSockets.js exists. One that exists but does not load fails the tests. */
export const HAS_UWS = hasUws();

/** Names of the transports to test. */
export const TRANSPORTS: readonly Transport['name'][] = HAS_UWS ? ['uws', 'node'] : ['node'];

/** Loads a transport by its name. */
export function transportOf(name: Transport['name']): Transport {
  return name === 'uws' ? loadUws() : nodeTransport;
}

function hasUws(): boolean {
  try {
    loadUws();
    return true;
  } catch (error) {
    if (!(error instanceof NoBinary)) throw error;
    console.warn(`not tested over uWebSockets.js: ${error.message}`);
    return false;
  }
}
