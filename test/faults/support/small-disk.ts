/** A small file system for tests of full disks. */
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, type TestContext } from 'vitest';

const PAGE_BYTES = 4096;
const run = promisify(execFile);

/** Mounts a tmpfs for the time of the test and returns its folder. Skips the test where mounting is not allowed. */
export async function smallDisk(megabytes: number, { skip }: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-disk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  } catch (error) {
    // Not root, or a container that forbids it.
    skip(`can't mount a small disk: ${String(error)}`);
  }
  onTestFinished(async () => {
    await run('umount', ['-l', folder]);
  });
  return folder;
}

/** Fills a disk with one file, except for some pages. */
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
