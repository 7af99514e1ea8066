import { loadTransport } from '../../src/http/transport/load-transport.js';
import { createLogger } from '../../src/observe/log.js';

/** Whether this Node.js has a binary of uWebSockets.js. */
export function hasUws(): boolean {
  return loadTransport('auto', createLogger('silent')).name === 'uws';
}
