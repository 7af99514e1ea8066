import { rename, rm } from 'node:fs/promises';

/** Replaces the file by the copy that `write` writes to the path it gets. If it fails, the file stays as it is. */
export async function replacedByCopy(path: string, write: (target: string) => Promise<void>): Promise<void> {
  const target = `${path}.embedding`;
  try {
    await write(target);
    await rename(target, path);
  } finally {
    await rm(target, { force: true });
  }
}
