/** Files that only their owner can read. */
import { closeSync, openSync } from 'node:fs';

/** Creates an empty file that only its owner can read. Keeps an existing file with its rights. */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch {
    // The library that uses it reports why it can't be opened.
  }
}
