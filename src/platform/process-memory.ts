/** How much memory this process may use. */
import os from 'node:os';

/** Bytes of the machine, or the limit of its container. */
export function processMemory(): number {
  return Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
