/** A small file system of its own, to be filled. */
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';

const PAGE_BYTES = 4096;
const run = promisify(execFile);

/** Its folder, for the time of the test; `undefined` where mounting is not allowed. */
export async function smallDisk(megabytes: number): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-disk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  } catch (error) {
    // Not root, or a container that forbids it: the service's behaviour is then not shown here.
    console.warn(`NOT TESTED, a small disk can't be mounted: ${String(error)}`);
    return undefined;
  }
  onTestFinished(async () => {
    await run('umount', ['-l', folder]);
  });
  return folder;
}

/** Takes all room of a disk but some pages, in one file. */
export async function fill(file: string, pagesLeft: number): Promise<void> {
  const handle = await open(file, 'w');
  let bytes = 0;
  try {
    for (const page = Buffer.alloc(PAGE_BYTES, 1); ; bytes += PAGE_BYTES) await handle.write(page);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
    await handle.truncate(Math.max(0, bytes - pagesLeft * PAGE_BYTES));
  } finally {
    await handle.close();
  }
}
