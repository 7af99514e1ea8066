/** Durable writes: the data is on the disk when the promise resolves. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

const PRIVATE = 0o600;

/** Creates a file that only its owner can read. Its name is durable after a sync of its folder. */
export function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  return withFile(file, 'wx', async (handle) => {
    await handle.writeFile(content);
    await handle.sync();
  });
}

/**
 * Puts content in place of a file, or makes the file. Readers, and other processes that do the same, see the old or the new
 * content. Only the owner can read the file, unless `mode` says otherwise.
 */
export async function replaceDurably(file: string, content: string, mode = PRIVATE): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(draft, content);
    // The mode of a new file is limited by the umask.
    await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncPath(path.dirname(file));
}

/** More than a file system keeps next to the names of files. */
const TEST_BYTES = 64 * 1024;

/** Writes a file into a folder, as {@link writeDurably} does, and removes it. */
export async function testWrite(folder: string): Promise<void> {
  const file = path.join(folder, randomBytes(12).toString('hex'));
  try {
    await writeDurably(file, new Uint8Array(TEST_BYTES));
    await syncPath(folder);
  } finally {
    await rm(file, { force: true });
  }
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
