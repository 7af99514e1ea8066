/** Request ids: short, unique, and without information about the machine. */
import { randomBytes } from 'node:crypto';

/** Returns a generator for one process: a random prefix plus a counter. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
