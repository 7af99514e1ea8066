/** Names for requests: short, unique, and telling nothing about the machine. */
import { randomBytes } from 'node:crypto';

/** Makes ids of one process: a random prefix, then a counter. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
