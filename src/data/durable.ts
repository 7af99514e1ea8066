/** Durable writes: the data is on the disk when the promise resolves. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const PRIVATE = 0o600;

/** Creates a file that only its owner can read. Its name is durable after a sync of its folder. */
export function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  return withFile(file, 'wx', async (handle) => {
    await handle.writeFile(content);
    await handle.sync();
  });
}

/** Syncs the content of a file, or the names in a folder. */
export function syncPath(file: string): Promise<void> {
  return withFile(file, constants.O_RDONLY, (handle) => handle.sync());
}

async function withFile(
  file: string,
  flags: string | number,
  work: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(file, flags, PRIVATE);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
